/** One sign-in from the address for the browser to the tokens: listener, discovery, registration, PKCE, exchange. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { AppError, errorText } from '../../base/errors.ts';
import type { OAuthClient } from '../../config/app-config.ts';
import { sameToken } from '../../security/access-token.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { isSafeUrl } from './sign-in-fetch.ts';
import type { Grant, Registration } from './sign-in-store.ts';
import { maskText } from '../../base/mask.ts';
import { signInCommand } from '../network/http-errors.ts';

export interface SignInAttempt {
  /** Where the person signs in, for a browser: https, or http on this machine. */
  readonly url: string;
  /** Resolves when the tokens are stored. Rejects with AppError: denied, refused, too late, cancelled. */
  readonly done: Promise<void>;
  readonly cancel: () => void;
}

/** What a 401 or 403 said about how to sign in. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

export interface SignInAttemptOptions extends Omit<SignInProviderOptions, 'redirectUrl' | 'state'> {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly challenge: Challenge;
  readonly fetch: FetchLike;
  /** How long the person may take, in ms. */
  readonly waitMs: number;
}

/** `header` is WWW-Authenticate, `granted` the scope the person has granted before. */
export function readChallenge(header: string | undefined, granted: string | undefined): Challenge {
  if (header === undefined) return {};
  const refusal = new Response(null, { headers: { 'www-authenticate': header } });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal);
  // Asking for one more right must not cost those granted before.
  return { resourceMetadataUrl, scope: scope && computeScopeUnion(granted, scope) };
}

/** Resolves when the person can be sent off. Rejects with AppError server_unauthorized or server_unreachable. */
export async function beginSignIn(options: SignInAttemptOptions): Promise<SignInAttempt> {
  const { serverName, waitMs, registration, client } = options;
  const state = randomBytes(32).toString('base64url');
  const done = Promise.withResolvers<void>();
  const listener = await CallbackListener.open({
    serverName,
    state,
    wishedPort: registration && Number(new URL(registration.redirectUrl).port),
    registered: client?.redirectUri === undefined ? undefined : new URL(client.redirectUri),
    onCallback: async (params) => {
      await exchange(params, provider, options).then(done.resolve, done.reject);
      await done.promise;
    },
  });
  const provider = new SignInProvider({ ...options, state, redirectUrl: listener.redirectUrl });
  const late = (): void => done.reject(signInError(serverName, `was not signed in to within ${minutes(waitMs)}`));
  const timer = setTimeout(late, waitMs);
  const end = (): void => {
    clearTimeout(timer);
    listener.close();
  };
  done.promise.then(end, end);
  try {
    const url = await findWay(provider, options);
    return {
      url,
      done: done.promise,
      cancel: () => done.reject(new AppError('cancelled', 'The sign-in was given up.')),
    };
  } catch (error) {
    done.reject(error);
    throw error;
  }
}

/** Discovers who signs people in for this server, registers us there if need be, and makes the address. */
async function findWay(provider: SignInProvider, options: SignInAttemptOptions): Promise<string> {
  const { serverName, serverUrl, challenge, fetch, client } = options;
  const { resourceMetadataUrl } = challenge;
  const scope = client !== undefined && client.scopes.length > 0 ? client.scopes.join(' ') : challenge.scope;
  try {
    await auth(provider, {
      serverUrl,
      fetchFn: fetch,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
  } catch (error) {
    throw describeSignInFailure(serverName, error);
  }
  const url = provider.authorizationUrl;
  if (url === undefined) throw signInError(serverName, 'could not be signed in to: it named no page for that');
  if (!isSafeUrl(url, new URL(serverUrl))) {
    throw signInError(serverName, `wants the browser to go to ${url.origin}, which is not safe`);
  }
  return url.href;
}

/** Turns what the browser brought back into stored tokens; the SDK checks the issuer first (RFC 9207). */
async function exchange(
  params: URLSearchParams,
  provider: SignInProvider,
  options: SignInAttemptOptions,
): Promise<void> {
  const { serverName, serverUrl, fetch } = options;
  try {
    await new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider, fetch }).finishAuth(params);
  } catch (error) {
    throw describeSignInFailure(serverName, error);
  }
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Waits on 127.0.0.1 for the browser to come back from a sign-in, once. */
export interface CallbackListenerOptions {
  readonly serverName: string;
  /** Only who knows it has been where we sent the browser. */
  readonly state: string;
  /** Taken if it is free, so that an earlier registration with its exact address stays right. */
  readonly wishedPort: number | undefined;
  /** An address that was registered by hand: this port (any, where it names none) and path, or none at all. */
  readonly registered?: URL | undefined;
  /** Uses what came back; the page tells how that went. */
  readonly onCallback: (params: URLSearchParams) => Promise<void>;
}

const ownPath = '/oauth/callback';

export class CallbackListener {
  readonly #options: CallbackListenerOptions;
  readonly #server: Server;
  #used = false;

  private constructor(options: CallbackListenerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(options: CallbackListenerOptions): Promise<CallbackListener> {
    const listener = new CallbackListener(options);
    const fixedPort = Number(options.registered?.port ?? 0);
    if (fixedPort > 0)
      await listener.#listen(fixedPort).catch((error: unknown) => Promise.reject(portTaken(fixedPort, error)));
    else await listener.#listen(options.wishedPort ?? 0).catch(() => listener.#listen(0));
    return listener;
  }

  get redirectUrl(): string {
    return `http://${this.#host}${this.#path}`;
  }

  /** Takes no more requests; a page that is being sent still arrives. */
  close(): void {
    this.#server.close();
  }

  get #path(): string {
    return this.#options.registered?.pathname ?? ownPath;
  }

  /** As the browser names us: what was registered is compared letter by letter. */
  get #host(): string {
    return `${this.#options.registered?.hostname ?? '127.0.0.1'}:${(this.#server.address() as AddressInfo | null)?.port ?? 0}`;
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, this.#options.registered?.hostname === '[::1]' ? '::1' : '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page elsewhere that has its own name point to 127.0.0.1 sends that name as the host.
    if (request.headers.host !== this.#host)
      return show(response, 421, 'Not here', 'Nothing is served under this name.');
    const url = URL.parse(request.url ?? '/', this.redirectUrl);
    if (request.method !== 'GET' || url?.pathname !== this.#path)
      return show(response, 404, 'Not found', 'There is nothing here.');
    const { serverName, state, onCallback } = this.#options;
    if (!sameToken(url.searchParams.get('state') ?? '', state)) {
      return show(
        response,
        400,
        'Not this sign-in',
        'This is not the sign-in that Tooltray waits for. Start it once more.',
      );
    }
    if (this.#used)
      return show(response, 410, 'Already used', 'This sign-in has come back before. You can close this window.');
    this.#used = true;
    try {
      await onCallback(url.searchParams);
      show(response, 200, 'Signed in', `Tooltray is signed in to ${serverName}. You can close this window.`);
    } catch (error) {
      show(response, 400, 'Not signed in', errorText(error));
    }
  }
}

function show(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(callbackPage(title, text));
}

function portTaken(port: number, cause: unknown): AppError {
  return new AppError('port_in_use', `The sign-in has to end at port ${port}, which is in use.`, {
    fix: 'Stop what uses it, or register another "redirect_uri".',
    cause,
  });
}

/** The plain page a browser shows when the sign-in comes back to us: no script, no link, every text escaped. */
export function callbackPage(title: string, text: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(title)}</title></head><body><h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p></body></html>\n`,
  ].join('\n');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** What the SDK's OAuth client is told, and where it keeps things, while one person signs in to one server. */
export interface SignInProviderOptions {
  readonly redirectUrl: string;
  readonly state: string;
  /** Of an earlier sign-in; it is of use only with the very same redirect address. */
  readonly registration: Registration | undefined;
  /** Who we are there, where the person registered us by hand. */
  readonly client?: OAuthClient | undefined;
  readonly saveRegistration: (registration: Registration) => Promise<void>;
  readonly saveGrant: (grant: Grant) => Promise<void>;
}

/** The code verifier and what was discovered live as long as the callback listener: in memory, not on disk. */
export class SignInProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  /** Where the person is to be sent, once the SDK knows. */
  authorizationUrl: URL | undefined;
  readonly #options: SignInProviderOptions;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(options: SignInProviderOptions) {
    const { registration, redirectUrl, client } = options;
    this.#options = options;
    this.redirectUrl = redirectUrl;
    this.#client =
      staticClient(client) ?? (registration?.redirectUrl === redirectUrl ? registration.client : undefined);
  }

  get clientMetadata(): OAuthClientMetadata {
    const scopes = this.#options.client?.scopes ?? [];
    return {
      client_name: 'Tooltray',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on a person's machine cannot keep a secret from that person (RFC 8252).
      token_endpoint_auth_method: 'none',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
  }

  state(): string {
    return this.#options.state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    this.#client = client;
    await this.#options.saveRegistration({ client, redirectUrl: this.redirectUrl });
  }

  /** None: whoever signs in wants a new grant, whatever the old one was. */
  tokens(): undefined {
    return undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    if (this.#client === undefined || this.#discovery === undefined)
      throw new Error('Tokens came before the sign-in began.');
    await this.#options.saveGrant({ tokens, client: this.#client, discovery: this.#discovery });
  }

  redirectToAuthorization(url: URL): void {
    for (const [name, value] of Object.entries(this.#options.client?.extraParams ?? {}))
      url.searchParams.set(name, value);
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  /** The authorization server does not know our registration any more. */
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    // One that was registered by hand is the only one there is.
    if (scope === 'all' || scope === 'client') this.#client = staticClient(this.#options.client);
  }
}

function staticClient(client: OAuthClient | undefined): StoredOAuthClientInformation | undefined {
  if (client?.clientId === undefined) return undefined;
  const { clientId: client_id, clientSecret } = client;
  return { client_id, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}

// What goes wrong while signing in, in one voice: all of it waits for the person, so all of it is `server_unauthorized`.

const maxQuotedChars = 200;

/** `what` ends a sentence that begins with the server's name. */
export function signInError(serverName: string, what: string, cause?: unknown): AppError {
  return new AppError('server_unauthorized', `${serverName} ${what}.`, {
    fix: `Sign in again: ${signInCommand(serverName)}.`,
    cause,
  });
}

/** Anything thrown on the way to tokens, told without the bodies of answers: those may hold what must stay secret. */
export function describeSignInFailure(serverName: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  if (OAuthError.isInstance(error)) return refusal(serverName, error);
  if (RegistrationRejectedError.isInstance(error) || /dynamic client registration/.test(String(error))) {
    return new AppError(
      'server_unauthorized',
      `${serverName} does not let programs like Tooltray register themselves.`,
      {
        fix: "Get a key from its operator and put it into the server's headers as Authorization.",
        cause: error,
      },
    );
  }
  const kind = error instanceof Error ? error.name : 'Error';
  return signInError(
    serverName,
    `could not be signed in to, because its sign-in answered in an unexpected way (${kind})`,
    error,
  );
}

function refusal(serverName: string, error: OAuthError): AppError {
  if (error.code === 'access_denied')
    return signInError(serverName, 'was not signed in to: the request was denied', error);
  // A body that is no OAuth error comes as server_error with the body as its text.
  const said = error.code === 'server_error' ? '' : quote(error.message);
  return signInError(serverName, `refused the sign-in: ${quote(error.code)}${said === '' ? '' : ` (${said})`}`, error);
}

function quote(text: string): string {
  const clean = maskText(text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').trim());
  return clean.slice(0, maxQuotedChars).replace(/\.$/, '');
}
