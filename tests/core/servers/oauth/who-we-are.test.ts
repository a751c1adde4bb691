/** The identity of Tooltray at an authorization server: registration, client documents, scopes and sign-out. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpServerConfig, OAuthClient } from '../../../../src-main/core/config/server-config.ts';
import { clientMetadataUrlProblem } from '../../../../src-main/core/config/schema.ts';
import { callbackPorts } from '../../../../src-main/core/servers/oauth/client-metadata-document.ts';
import type { ServerOAuth } from '../../../../src-main/core/servers/oauth/server-oauth.ts';
import { OAuthManager } from '../../../../src-main/core/servers/oauth/oauth-manager.ts';
import { type OAuthFixture, startOAuthFixture } from '../../../fixtures/servers/oauth-http.ts';
import { type Page, visit } from './browser.ts';
import { storedIn, plainVault } from '../../../support/plain-vault.ts';

const document = 'https://example.org/tooltray.json';

interface Entry {
  readonly fixture: OAuthFixture;
  readonly folder: string;
  readonly with: (client?: Partial<OAuthClient>) => ServerOAuth;
}

async function entry(ofSettings?: string): Promise<Entry> {
  const fixture = await startOAuthFixture();
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-who-'));
  onTestFinished(async () => {
    await fixture[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  // Announces the URL of its metadata.
  const refusal = await fetch(fixture.url, { method: 'POST', body: '{}' });
  const makeSignIn = (client?: Partial<OAuthClient>): ServerOAuth => {
    const signIns = new OAuthManager({ folder, vault: plainVault(folder), env: {}, documentUrl: () => ofSettings });
    onTestFinished(() => signIns.close());
    const oauth = client && { scopes: [], extraParams: {}, ...client };
    const far = signIns.get({
      kind: 'http',
      name: 'far',
      url: fixture.url,
      headers: {},
      oauth,
    } as unknown as HttpServerConfig);
    far.onUsed(refusal);
    return far;
  };
  return { fixture, folder, with: makeSignIn };
}

/** Like a browser: follows every redirect. */
async function signIn(to: ServerOAuth): Promise<Page> {
  const attempt = await to.start();
  const page = await visit(attempt.url);
  await attempt.done.catch(() => undefined);
  return page;
}

test('registers as a native client without a scope', async () => {
  const { fixture, with: using } = await entry();
  fixture.resource = { scopes_supported: ['files:read'] };
  expect((await signIn(using())).status).toBe(200);
  const { registered, authorizations } = fixture.authorization;
  expect(registered).toHaveLength(1);
  expect(registered[0]).toMatchObject({ application_type: 'native', token_endpoint_auth_method: 'none' });
  expect(Object.keys(registered[0] ?? {})).not.toContain('scope');
  expect(authorizations[0]?.get('scope')).toBe('files:read');
});

test('registers again with the scopes if the first client may not request them', async () => {
  const { fixture, with: using } = await entry();
  fixture.resource = { scopes_supported: ['files:read', 'files:write'] };
  fixture.authorization.bindsTo = 'files:read';
  expect((await signIn(using())).status).toBe(200);
  const { registered, authorizations } = fixture.authorization;
  expect(registered.map((one) => one['scope'])).toEqual([undefined, 'files:read files:write']);
  expect(new Set(authorizations.map((asked) => asked.get('state'))).size).toBe(2);
  expect(authorizations.map((asked) => asked.get('client_id'))).toEqual(['client-1', 'client-2']);
});

test('reports a second rejection of the scope instead of registering again', async () => {
  const { fixture, with: using } = await entry();
  fixture.resource = { scopes_supported: ['files:read'] };
  const { authorization } = fixture;
  authorization.bindsTo = 'other';
  const attempt = await using().start();
  const first = await fetch(attempt.url, { redirect: 'manual' });
  const second = await fetch(first.headers.get('location') ?? '', { redirect: 'manual' });
  expect(second.status).toBe(302);
  const third = new URL(
    (await fetch(second.headers.get('location') ?? '', { redirect: 'manual' })).headers.get('location') ?? '',
  );
  third.searchParams.delete('code');
  third.searchParams.set('error', 'invalid_scope');
  expect((await visit(third)).text).toContain('rejected the sign-in: invalid_scope');
  await expect(attempt.done).rejects.toThrow('invalid_scope');
  expect(authorization.registrations).toBe(2);
});

test('uses a client metadata document if the server supports it, without registering', async () => {
  const { fixture, with: using } = await entry();
  fixture.authorization.metadata = { client_id_metadata_document_supported: true };
  expect((await signIn(using({ clientMetadataUrl: document }))).status).toBe(200);
  expect(fixture.authorization.authorizations[0]?.get('client_id')).toBe(document);
  expect(fixture.authorization.registrations).toBe(0);
});

test('uses the document of the settings for entries without one, with one of its callback ports', async () => {
  const { fixture, with: using } = await entry('https://example.org/of-the-settings.json');
  fixture.authorization.metadata = { client_id_metadata_document_supported: true };
  expect((await signIn(using())).status).toBe(200);
  expect((await signIn(using({ clientMetadataUrl: document }))).status).toBe(200);
  const { authorizations, registrations } = fixture.authorization;
  const asked = authorizations.map((one) => [
    one.get('client_id'),
    Number(new URL(one.get('redirect_uri') ?? '').port),
  ]);
  expect([registrations, asked]).toEqual([
    0,
    [
      ['https://example.org/of-the-settings.json', expect.toSatisfy((port: number) => callbackPorts.includes(port))],
      [document, expect.toSatisfy((port: number) => callbackPorts.includes(port))],
    ],
  ]);
});

test.each([
  ['https://example.org/tooltray.json', true],
  ['https://example.org/', false],
  ['http://example.org/tooltray.json', false],
  ['https://me@example.org/tooltray.json', false],
  ['https://example.org/a/../tooltray.json', false],
  ['https://example.org/tooltray.json#us', false],
  ['https://EXAMPLE.org/tooltray.json', false],
])('checks %s as a client id: %s', (url, isOne) => {
  expect(clientMetadataUrlProblem(url) === undefined).toBe(isOne);
});

test('registers if the server does not support client metadata documents', async () => {
  const { fixture, with: using } = await entry();
  expect((await signIn(using({ clientMetadataUrl: document }))).status).toBe(200);
  expect(fixture.authorization.registrations).toBe(1);
});

test('prefers the client of the entry to a document and to a registration', async () => {
  const { fixture, folder, with: using } = await entry();
  fixture.authorization.metadata = { client_id_metadata_document_supported: true };
  fixture.authorization.registeredByHand.set('by-hand', { secret: 'the secret/+%' });
  fixture.authorization.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post'];
  const client = { clientId: 'by-hand', clientSecret: 'the secret/+%', clientMetadataUrl: document };
  expect((await signIn(using(client))).status).toBe(200);
  expect(fixture.authorization.authorizations[0]?.get('client_id')).toBe('by-hand');
  expect(fixture.authorization.registrations).toBe(0);
  // It is in the entry only.
  expect(await storedIn(plainVault(folder))).not.toContain('the secret');
});

test('does not use the client of the entry at another authorization server', async () => {
  const { fixture, with: using } = await entry();
  fixture.authorization.registeredByHand.set('by-hand', { secret: 's' });
  fixture.authorization.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
  const client = { clientId: 'by-hand', clientSecret: 's' };
  await signIn(using(client));
  const moved = await startOAuthFixture();
  onTestFinished(() => moved[Symbol.asyncDispose]());
  fixture.resource = { authorization_servers: [moved.origin] };
  await expect(using(client).start()).rejects.toThrow(`now uses the issuer ${moved.origin}`);
  expect(moved.authorization.authorizations).toEqual([]);
  await using(client).signOut();
  await expect(using(client).start()).resolves.toMatchObject({ url: expect.stringContaining(moved.origin) as string });
});

test('uses the client of an entry with an issuer only at that issuer', async () => {
  const { fixture, with: using } = await entry();
  const client = { clientId: 'by-hand', issuer: 'https://elsewhere.example' };
  await expect(using(client).start()).rejects.toThrow('the client in its entry belongs to https://elsewhere.example');
  expect(fixture.requests.filter((one) => one.startsWith('GET /authorize'))).toEqual([]);
});

test('reports what to register, and where to put it, if registration is not possible', async () => {
  const { fixture, with: using } = await entry();
  fixture.authorization.metadata = { registration_endpoint: undefined };
  await expect(using().start()).rejects.toMatchObject({
    message: expect.stringContaining('does not support dynamic client registration') as string,
    fix: expect.stringMatching(/http:\/\/127\.0\.0\.1\/oauth\/callback .*"oauth": \{ "clientId"/) as string,
  });
});

test.each([
  ['absent', undefined],
  ['empty', []],
  ['plain', ['plain']],
])('rejects PKCE methods that are %s before a browser opens', async (_case, methods) => {
  const { fixture, with: using } = await entry();
  fixture.authorization.metadata = { code_challenge_methods_supported: methods };
  await expect(using().start()).rejects.toThrow('PKCE with S256');
  expect(fixture.authorization.registrations).toBe(0);
});

test('requests tokens for the address of the server in every request', async () => {
  const { fixture, with: using } = await entry();
  const far = using();
  expect((await signIn(far)).status).toBe(200);
  fixture.authorization.expireTokens();
  await far.renew(await far.accessToken());
  const { authorizations, tokenRequests } = fixture.authorization;
  expect([...authorizations, ...tokenRequests].map((asked) => asked.get('resource'))).toEqual(
    Array(3).fill(fixture.url),
  );
});

test('reads the authorization server metadata from the address in the entry', async () => {
  const { fixture, with: using } = await entry();
  const away = await startOAuthFixture();
  onTestFinished(() => away[Symbol.asyncDispose]());
  const authServerMetadataUrl = `${away.origin}/.well-known/oauth-authorization-server`;
  const attempt = await using({ authServerMetadataUrl }).start();
  expect([new URL(attempt.url).origin, fixture.authorization.registrations]).toEqual([away.origin, 0]);
  attempt.cancel();
  await expect(attempt.done).rejects.toMatchObject({ code: 'cancelled' });
});

test('passes the account as login_hint and rejects other accounts', async () => {
  const { fixture, folder, with: using } = await entry();
  fixture.authorization.idToken = { sub: '1', email: 'Ben@example.org' };
  const page = await signIn(using({ account: 'ana@example.org' }));
  expect(fixture.authorization.authorizations[0]?.get('login_hint')).toBe('ana@example.org');
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('as Ben@example.org')]);
  expect(await storedIn(plainVault(folder))).not.toContain('access-');
  expect((await signIn(using({ account: 'ben@EXAMPLE.org' }))).text).toContain('signed in to far as Ben@example.org');
  // An entry that names another client or authorization server no longer applies; reverting needs no new sign-in.
  const issuer = new URL(fixture.url).origin;
  const asked = [
    { account: 'ana@example.org' },
    { issuer: 'https://login.example' },
    { account: 'ben@example.org', issuer },
    {},
  ];
  const found = asked.map((client) => using(client));
  expect(await Promise.all(found.map(async (one) => (await one.accessToken()) !== undefined))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(found.map((one) => one.info.isSignedIn)).toEqual([false, false, true, true]);
  expect(await found[0]?.renew(undefined)).toBeUndefined();
  expect(fixture.authorization.grants).not.toContain('refresh_token');
});

test('ties a sign-in to the address with its secret filled in', async () => {
  const { fixture, folder } = await entry();
  const { origin, pathname } = new URL(fixture.url);
  let path = pathname.slice(1);
  const fill = (config: HttpServerConfig): Promise<HttpServerConfig> =>
    Promise.resolve({ ...config, url: config.url.replace('${secret:TENANT}', path) });
  const using = (): ServerOAuth => {
    const signIns = new OAuthManager({ folder, vault: plainVault(folder), env: {}, fill });
    onTestFinished(() => signIns.close());
    const url = `${origin}/\${secret:TENANT}`;
    return signIns.get({ kind: 'http', name: 'far', url, headers: {} } as unknown as HttpServerConfig);
  };
  expect((await signIn(using())).status).toBe(200);
  const token = await using().accessToken();
  path = 'another';
  const tokens = [await using().accessToken()];
  path = pathname.slice(1);
  expect([...tokens, await using().accessToken()]).toEqual([undefined, token]);
});

test('requests a choice of accounts for a second entry with the same address, if supported', async () => {
  const { fixture, folder } = await entry();
  const signIns = new OAuthManager({ folder, vault: plainVault(folder), env: {} });
  onTestFinished(() => signIns.close());
  const refusal = await fetch(fixture.url, { method: 'POST', body: '{}' });
  const prompts = async (name: string): Promise<string | null> => {
    const one = signIns.get({ kind: 'http', name, url: fixture.url, headers: {} } as unknown as HttpServerConfig);
    one.onUsed(refusal);
    await signIn(one);
    return fixture.authorization.authorizations.at(-1)?.get('prompt') ?? null;
  };
  fixture.authorization.metadata = { prompt_values_supported: ['none', 'login', 'select_account'] };
  expect([await prompts('work'), await prompts('home')]).toEqual([null, 'select_account']);
  fixture.authorization.metadata = {};
  expect(await prompts('third')).toBeNull();
});

test('revokes the tokens at sign-out and stores nothing', async () => {
  const { fixture, folder, with: using } = await entry();
  fixture.authorization.metadata = { revocation_endpoint: `${fixture.origin}/revoke` };
  const far = using();
  await signIn(far);
  const access = await far.accessToken();
  const refresh = fixture.authorization.secrets.find((one) => one.startsWith('refresh-'));
  expect(await far.signOut()).toEqual({ how: 'revoked' });
  expect(fixture.authorization.revoked).toEqual([`refresh_token ${refresh}`, `access_token ${access}`]);
  expect([await far.accessToken(), fixture.authorization.accepts(access)]).toEqual([undefined, false]);
  expect(await storedIn(plainVault(folder))).not.toMatch(/access-|refresh-|client-/);
});

test('signs out locally whatever the authorization server responds', async () => {
  const { fixture, with: using } = await entry();
  const far = using();
  await signIn(far);
  expect(await far.signOut()).toEqual({ how: 'unable' });
  fixture.authorization.metadata = { revocation_endpoint: `${fixture.origin}/nowhere` };
  await signIn(far);
  expect(await far.signOut()).toEqual({ how: 'failed' });
  expect([await far.accessToken(), await far.signOut()]).toEqual([undefined, { how: 'nothing' }]);
});

test('deletes everything of a removed entry, also from a locked vault, and reports failed revocation', async () => {
  const { fixture, folder, with: using } = await entry();
  fixture.authorization.metadata = { revocation_endpoint: `${fixture.origin}/revoke` };
  const far = using();
  await signIn(far);
  expect(await storedIn(plainVault(folder))).toMatch(/access-/);
  const key = (await readdir(join(folder, 'secrets'))).find((name) => name.startsWith('key-')) ?? '';
  await rename(join(folder, 'secrets', key), join(folder, 'key'));
  const { takenBack } = await using().signOutRemoved();
  expect(await takenBack).toEqual({ how: 'failed' });
  expect(fixture.authorization.revoked).toEqual([]);
  await rename(join(folder, 'key'), join(folder, 'secrets', key));
  expect(await plainVault(folder).names('')).toEqual([]);

  await signIn(far);
  expect(await (await far.signOutRemoved()).takenBack).toEqual({ how: 'revoked' });
  expect([await plainVault(folder).names(''), await (await far.signOutRemoved()).takenBack]).toEqual([
    [],
    { how: 'nothing' },
  ]);
});
