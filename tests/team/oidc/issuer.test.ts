/** Tokens of a real OIDC provider, and forged ones. */
import { createHmac, createPublicKey } from 'node:crypto';
import type { JWK } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { startOidc } from '../../../scripts/team/engines/oidc.ts';
import { OidcIssuer, type IssuerOptions } from '../../../src-main/team/oidc/issuer.ts';
import { signInAs } from '../../support/oidc-person.ts';
import { oidcPeople, signingKey, type TestIssuer, testIssuer } from '../../support/test-issuer.ts';

const audience = 'https://tools.example.com/mcp';
const isOurs = (one: string): boolean => one === audience;
const seconds = (): number => Math.floor(Date.now() / 1000);

function opened(of: Pick<TestIssuer, 'issuer'>, more: Partial<IssuerOptions> = {}): OidcIssuer {
  const issuer = new OidcIssuer({ issuer: of.issuer, env: {}, ...more });
  onTestFinished(() => issuer.close());
  return issuer;
}

/** Advances the clock; timers keep running. */
function passMs(ms: number): void {
  const now = Date.now() + ms;
  vi.useFakeTimers({ toFake: ['Date'], now });
  onTestFinished(() => void vi.useRealTimers());
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('accepts the access token of a sign-in, and rejects its ID token', async () => {
  const idp = await testIssuer(audience);
  const issuer = opened(idp);
  const tokens = await signInAs('ana', idp.issuer, { scope: 'openid profile email tools:read', nonce: 'n-1' });
  expect(await issuer.accessToken(tokens.access_token, isOurs)).toMatchObject({
    iss: idp.issuer,
    sub: 'ana',
    aud: audience,
    client_id: tokens.client_id,
    scope: 'tools:read',
    groups: ['platform'],
    email: 'ana@example.org',
  });
  expect(await issuer.accessToken(tokens.id_token ?? '', () => true)).toBeUndefined();
});

test('rejects tokens not signed by the issuer, not for this audience or not valid now', async () => {
  const idp = await testIssuer(audience);
  const issuer = opened(idp);
  const good = await idp.sign();
  expect(await issuer.accessToken(good, isOurs)).toMatchObject({ sub: 'ana' });
  const [head = '', body = '', signature = ''] = good.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const unsigned = `${base64url({ alg: 'none', typ: 'at+jwt' })}.${body}.`;
  const publicHalf = (key: JWK) => createPublicKey({ key, format: 'jwk' });
  const pem = publicHalf(idp.key).export({ type: 'spki', format: 'pem' });
  const hmacHead = base64url({ alg: 'HS256', kid: 'first', typ: 'at+jwt' });
  const byPublicKey = createHmac('sha256', pem).update(`${hmacHead}.${body}`).digest('base64url');
  const other = await signingKey('first');
  const embedded = publicHalf(other).export({ format: 'jwk' });
  const bad: Record<string, string> = {
    'another audience': await idp.sign({ aud: 'https://elsewhere.example.com/mcp' }),
    'a longer audience': await idp.sign({ aud: `${audience}x` }),
    'no audience': await idp.sign({ aud: undefined as unknown as string }),
    'another issuer': await idp.sign({ iss: 'https://idp.example.com' }),
    'an issuer with a slash more': await idp.sign({ iss: `${idp.issuer}/` }),
    'no end': await idp.sign({ exp: undefined as unknown as number }),
    'not yet': await idp.sign({ nbf: seconds() + 120 }),
    nobody: await idp.sign({ sub: '' }),
    'no subject': await idp.sign({ sub: undefined as unknown as string }),
    'another type': await idp.sign({}, { typ: 'logout+jwt' }),
    'bound to a key': await idp.sign({ cnf: { jkt: 'x' } }),
    'an ID token': await idp.sign({ nonce: 'n' }, { typ: 'JWT' }),
    unsigned,
    'signed with the public key': `${hmacHead}.${body}.${byPublicKey}`,
    'another key of the same name': await idp.sign({}, {}, other),
    'a key that comes along': await idp.sign({}, { jwk: embedded }, other),
    'a key from elsewhere': await idp.sign({}, { kid: 'x', jku: 'http://127.0.0.1:9/keys' }, { ...other, kid: 'x' }),
    'what is not understood': `${base64url({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 })}.${body}.${signature}`,
    tampered: `${head}.${base64url({ ...claims, sub: 'ben' })}.${signature}`,
    cut: good.slice(0, -4),
    'no token': 'x.y.z',
  };
  for (const [why, token] of Object.entries(bad))
    expect([why, await issuer.accessToken(token, isOurs)]).toEqual([why, undefined]);
  for (const ago of [1, 600])
    expect(await issuer.accessToken(await idp.sign({ exp: seconds() - ago }), isOurs)).toBe('over');
  const forged = await idp.sign({ exp: seconds() - 1 }, {}, other);
  expect(await issuer.accessToken(forged, isOurs)).toBeUndefined();
  // Clocks may differ.
  expect(await issuer.accessToken(await idp.sign({ nbf: seconds() + 30 }), isOurs)).toBeDefined();
});

test('requires the token type at+jwt only where configured', async () => {
  const idp = await testIssuer(audience);
  const [mild, strict] = [opened(idp), opened(idp, { needsType: true })];
  const token = await idp.sign({}, { typ: 'JWT' });
  expect(await mild.accessToken(token, isOurs)).toBeDefined();
  expect(await strict.accessToken(token, isOurs)).toBeUndefined();
  expect(await strict.accessToken(await idp.sign({}, { typ: 'application/at+jwt' }), isOurs)).toBeDefined();
});

test('finds new keys, rejects withdrawn ones, and does not query the issuer for every unknown key', async () => {
  const idp = await testIssuer(audience);
  const issuer = opened(idp);
  const before = await idp.sign();
  expect(await issuer.accessToken(before, isOurs)).toBeDefined();
  const next = await signingKey('second', 'ES256');
  idp.useKeys({ keys: [next] });
  const after = await idp.sign({}, {}, next);
  // Fetched a moment ago.
  expect(await issuer.accessToken(after, isOurs)).toBeUndefined();
  passMs(6_000);
  expect(await issuer.accessToken(after, isOurs)).toBeDefined();
  expect(await issuer.accessToken(before, isOurs)).toBeUndefined();
});

test('with an unreachable issuer, accepts tokens of known keys and asks others to retry', async () => {
  const port = await freePort();
  const idp = await testIssuer(audience, { port });
  const [first, second] = [opened(idp), opened(idp)];
  const token = await idp.sign({ exp: seconds() + 90_000 });
  expect(await first.accessToken(token, isOurs)).toBeDefined();
  await idp.stop();
  const away = {
    code: 'server_unreachable',
    message: `Cannot verify tokens: the issuer ${new URL(idp.issuer).host} is unreachable.`,
  };
  await expect(second.accessToken(token, isOurs)).rejects.toMatchObject(away);
  passMs(60 * 60_000);
  expect(await first.accessToken(token, isOurs)).toBeDefined();
  const unknown = await idp.sign({}, {}, await signingKey('unknown'));
  await expect(first.accessToken(unknown, isOurs)).rejects.toMatchObject(away);
  passMs(12 * 60 * 60_000);
  await expect(first.accessToken(token, isOurs)).rejects.toMatchObject(away);
  const back = await startOidc({ people: oidcPeople, audience, scopes: [], keys: { keys: [idp.key] }, port });
  onTestFinished(() => back.stop());
  passMs(6_000);
  expect(await first.accessToken(token, isOurs)).toBeDefined();
});

test('accepts only HTTPS or loopback addresses as issuer', () => {
  for (const bad of ['http://idp.example.com', 'http://10.0.0.1', 'https://a:b@idp.example.com', 'https://x/?a', 'idp'])
    expect(() => new OidcIssuer({ issuer: bad, env: {} })).toThrow(/is not a valid issuer\./);
  for (const good of ['https://idp.internal', 'https://10.0.0.1/realms/a', 'http://127.0.0.1:1', 'http://localhost:1'])
    new OidcIssuer({ issuer: good, env: {} }).close();
});
