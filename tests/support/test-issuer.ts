/** An OIDC provider for a test that also has its keys, so that it can sign what an honest issuer would not. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { type OidcEngine, type OidcOptions, type Person, startOidc } from '../../scripts/team/engines/oidc.ts';

export const oidcPeople: Person[] = [
  { name: 'ana', groups: ['platform'] },
  { name: 'ben', groups: ['sales'] },
];

/** A private signing key; `kid` names it. */
export async function signingKey(kid: string, alg = 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
}

export interface TestIssuer extends OidcEngine {
  readonly key: JWK;
  /** An access token like the issuer's, with the test's changes. */
  sign(claims?: Readonly<Record<string, unknown>>, header?: Record<string, unknown>, key?: JWK): Promise<string>;
}

/** Stopped with the test. */
export async function testIssuer(audience: string, more: Partial<OidcOptions> = {}): Promise<TestIssuer> {
  const opened = await openIssuer(audience, more);
  onTestFinished(() => opened.stop());
  return opened;
}

export async function openIssuer(audience: string, more: Partial<OidcOptions> = {}): Promise<TestIssuer> {
  const key = await signingKey('first');
  const scopes = ['tools:read', 'tools:call'];
  const engine = await startOidc({ people: oidcPeople, audience, scopes, keys: { keys: [key] }, ...more });
  let isOver = false;
  const stop = async (): Promise<void> => {
    if (!isOver) await engine.stop();
    isOver = true;
  };
  return { ...engine, stop, key, sign: (...of) => signed(engine.issuer, audience, key, ...of) };
}

function signed(
  issuer: string,
  audience: string,
  own: JWK,
  claims: Readonly<Record<string, unknown>> = {},
  header: Record<string, unknown> = {},
  key: JWK = own,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: issuer, aud: audience, sub: 'ana', client_id: 'an app', iat: now, exp: now + 600 };
  const said = { scope: 'tools:read tools:call', preferred_username: 'ana', ...usual, ...claims };
  return new SignJWT(said)
    .setProtectedHeader({ alg: String(key.alg), kid: String(key.kid), typ: 'at+jwt', ...header })
    .sign(key);
}
