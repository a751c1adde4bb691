/** A user with a browser who signs in at the tests' OIDC provider: fills in its forms, and follows redirects. */
import { createHash, randomBytes } from 'node:crypto';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope?: string;
}

/** A client registered there. */
export interface OidcClient {
  readonly client_id: string;
}

/** Nothing listens there: a browser would go there with the code. */
const redirect = 'http://127.0.0.1:9/callback';

export async function registerClient(issuer: string, more: object = {}): Promise<OidcClient> {
  const body = {
    redirect_uris: [redirect],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...more,
  };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${issuer}/reg`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as OidcClient;
}

/**
 * Opens the URL as this user, logs in, and consents; resolves to the final redirect, which is not opened. `cookies`: of
 * a browser that visits the issuer again.
 */
export async function browseAs(
  person: string,
  address: string | URL,
  until = redirect,
  cookies = new Map<string, string>(),
): Promise<URL> {
  let [url, form] = [new URL(address), undefined as URLSearchParams | undefined];
  for (let step = 0; step < 20; step++) {
    if (url.href.startsWith(until)) return url;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    if (location !== null) [url, form] = [new URL(location, url), undefined];
    else {
      const [, action] = /<form[^>]* action="([^"]*)"/.exec(page) ?? [];
      if (action === undefined) throw new Error(`The page at ${url.href} leads nowhere: ${page.slice(0, 500)}`);
      const prompt = page.includes('name="login"') ? 'login' : 'consent';
      form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: person, password: 'any' }) });
      url = new URL(action, url);
    }
  }
  throw new Error(`There is no end of redirections at ${url.href}.`);
}

/** Signs out at the issuer, in the browser with these cookies. Resolves once the issuer has told its clients. */
export async function logOutAt(issuer: string, cookies: ReadonlyMap<string, string>): Promise<void> {
  const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const page = await (await fetch(`${issuer}/session/end`, { headers })).text();
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
  if (xsrf === undefined) throw new Error(page);
  const body = new URLSearchParams({ xsrf, logout: 'yes' });
  const answer = await fetch(`${issuer}/session/end/confirm`, { method: 'POST', redirect: 'manual', headers, body });
  if (answer.status >= 400) throw new Error(await answer.text());
}

interface SignIn {
  readonly client?: OidcClient;
  readonly scope?: string;
  readonly resource?: string;
  readonly nonce?: string;
}

/** With code and PKCE, like a client app. */
export async function signInAs(person: string, issuer: string, of: SignIn = {}): Promise<Tokens & OidcClient> {
  const { client_id } = of.client ?? (await registerClient(issuer));
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URL(`${issuer}/auth`);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  asked.search = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: redirect,
    scope: of.scope ?? 'openid tools:read tools:call',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: 'consent',
    ...(of.resource !== undefined && { resource: of.resource }),
    ...(of.nonce !== undefined && { nonce: of.nonce }),
  }).toString();
  const code = (await browseAs(person, asked)).searchParams.get('code') ?? '';
  const given = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier, client_id };
  return { client_id, ...(await tokensFor(issuer, { ...given, ...(of.resource && { resource: of.resource }) })) };
}

/** Another access token of the same sign-in. */
export function refreshed(issuer: string, { client_id, refresh_token = '' }: Tokens & OidcClient): Promise<Tokens> {
  return tokensFor(issuer, { grant_type: 'refresh_token', refresh_token, client_id });
}

async function tokensFor(issuer: string, form: Record<string, string>): Promise<Tokens> {
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Tokens;
}
