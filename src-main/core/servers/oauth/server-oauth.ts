/** The sign-in to one server: tokens for its requests, refresh, new sign-ins, more scopes, and sign-out. */
import type { OAuthClient } from '../../config/server-config.ts';
import type { AddressKind } from '../network/address-kinds.ts';
import { dialedAddress, type FetchLike, type HttpFetch } from '../network/http-fetch.ts';
import { accountNames } from './account-name.ts';
import { addressKindOf, dialRule, assertSafePage, unsafeUrlError } from './safe-urls.ts';
import type { AuthorizationFlow } from './authorization-flow.ts';
import { createOAuthFetch } from './oauth-fetch.ts';
import type { RevocationResult } from './revoke-grant.ts';
import {
  resourceAddress,
  type Grant,
  type RefusedRights,
  type Registration,
  type GrantStore,
  type StoredAuthorization,
} from './grant-store.ts';
import type { AuthorizationState, PendingAuthorizationOptions } from './pending-authorization.ts';
import { ScopeRequests, type RequestedScopes } from './scope-requests.ts';

export interface ServerOAuthOptions {
  readonly serverName: string;
  readonly serverUrl: string;
  /** Client registration from the entry, with unresolved references to secrets. */
  readonly client?: OAuthClient | undefined;
  /** The same with secrets filled in. Rejects with AppError if one is unavailable. */
  readonly fill: () => Promise<ResolvedEntry>;
  /** Key in the store. */
  readonly key: string;
  readonly store: GrantStore;
  /** URL of the client ID metadata document, used if the entry names no client; undefined: none. */
  readonly documentUrl: () => string | undefined;
  /** Loaded on demand. */
  readonly http: () => Promise<HttpFetch>;
  readonly waitMs: number;
  /** Called when the secrets have changed. */
  readonly onSecrets: () => void;
  /** Called after a sign-in, a sign-out, or a request for scopes. */
  readonly onChange: () => void;
  /** Whether another entry is signed in to the same address. */
  readonly hasTwin: () => Promise<boolean>;
}

/** The members of an entry that can contain secrets. */
export interface ResolvedEntry {
  readonly serverUrl: string;
  readonly client?: OAuthClient | undefined;
}

/** Sign-in details for the user. */
export interface SignInInfo {
  readonly isSignedIn: boolean;
  /** Issuer identifier from the authorization server's metadata. */
  readonly issuer: string | undefined;
  readonly account: string | undefined;
  /** Empty if unknown. */
  readonly scope: string;
  /** When the user signed in, in ms since 1970; undefined if unknown or not signed in. */
  readonly grantedAt: number | undefined;
}

/** The source of tokens for a server's requests. */
export interface TokenSource {
  /** The server's URL; tokens are sent to its origin only. */
  readonly serverUrl: string;
  /** Whether a sign-in existed and has expired: requests fail until the user signs in again. */
  readonly isExpired: boolean;
  /** The token to send, if any. Rejects with AppError. */
  accessToken(): Promise<string | undefined>;
  /** Returns a replacement for a refused token; undefined if there is none. Rejects with AppError. */
  renew(refused: string | undefined): Promise<string | undefined>;
  /** Receives every response. */
  onUsed(response: Response): void;
  /** Rejects with AppError if a 403 requests more scopes. */
  requireScopes(response: Response): Promise<void>;
}

export class ServerOAuth implements TokenSource {
  readonly serverUrl: string;
  readonly client: OAuthClient | undefined;
  readonly #options: ServerOAuthOptions;
  readonly #fetch: FetchLike;
  readonly #rights: ScopeRequests;
  /** The state last read from the store; undefined before that. */
  #known: Promise<StoredAuthorization> | undefined;
  #latest: StoredAuthorization = {};
  #secrets: readonly string[] = [];
  /** The WWW-Authenticate header of the latest refusal. */
  #challenge: string | undefined;
  /** The address of its last response. */
  #answeredFrom: string | undefined;
  #renewing: Promise<string | undefined> | undefined;
  #widening: Promise<AuthorizationFlow> | undefined;
  #over = false;

  constructor(options: ServerOAuthOptions) {
    const { serverName } = options;
    this.#options = options;
    this.serverUrl = options.serverUrl;
    this.client = options.client;
    this.#rights = new ScopeRequests(serverName, options.onChange);
    const dial: FetchLike = async (url, init) => {
      const guarded = (await options.http()).guarded(dialRule(this.#home), (host) => unsafeUrlError(serverName, host));
      return guarded(url, init);
    };
    this.#fetch = createOAuthFetch({ serverName, fetch: dial, home: () => this.#home });
  }

  /** The name of the server's entry. */
  get serverName(): string {
    return this.#options.serverName;
  }

  /** Key in the store, shared by all entries with the same sign-in. */
  get key(): string {
    return this.#options.key;
  }

  /** Texts that must be masked everywhere. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** Whether a sign-in existed and ended, so that the user must sign in again. */
  get isExpired(): boolean {
    return this.#over;
  }

  /** Scopes that the server requests, while the user has not decided. */
  get requestedScopes(): RequestedScopes | undefined {
    return this.#rights.wanted;
  }

  get refused(): RefusedRights | undefined {
    return this.#latest.refused;
  }

  /** The known state; empty before the first request. */
  get info(): SignInInfo {
    const grant = grantFor(this.#latest.grant, this);
    return {
      isSignedIn: grant !== undefined,
      issuer: grant?.discovery.authorizationServerMetadata?.issuer,
      account: grant?.account,
      scope: grant?.tokens.scope ?? grant?.requestedScope ?? '',
      grantedAt: grant?.grantedAt,
    };
  }

  /** The token to send, if any. */
  async accessToken(): Promise<string | undefined> {
    return (await this.#counting(await this.#stored()))?.tokens.access_token;
  }

  /**
   * Returns a replacement for a refused token; undefined if the user must sign in. The refresh token is used once,
   * however many requests and processes call this concurrently. Rejects with AppError `server_unreachable`.
   */
  async renew(refused: string | undefined): Promise<string | undefined> {
    this.#renewing ??= this.#renew(refused).finally(() => (this.#renewing = undefined));
    const renewed = await this.#renewing;
    this.#over = renewed === undefined && (this.#over || refused !== undefined);
    return renewed;
  }

  /** Records the address of a response, and the challenge of a 401 or 403. */
  onUsed(response: Response): void {
    this.#answeredFrom = dialedAddress(response) ?? this.#answeredFrom;
    if (response.status === 401 || response.status === 403)
      this.#challenge = response.headers.get('www-authenticate') ?? undefined;
  }

  /** Throws AppError `server_unauthorized` if a 403 requests more scopes, with the state of that request. */
  async requireScopes(response: Response): Promise<void> {
    const header = response.headers.get('www-authenticate');
    if (header === null) return;
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return;
    const outcome = this.#rights.onInsufficientScope(scope, await this.#stored());
    if (outcome === undefined) return;
    await response.body?.cancel();
    throw outcome;
  }

  /** Rejects with AppError. */
  async start(agreed?: readonly string[]): Promise<AuthorizationFlow> {
    // Imported on demand, as below, because it loads the SDK, and most users are signed in already.
    const { startAuthorizationFlow } = await import('./authorization-flow.ts');
    return startAuthorizationFlow({ ...(await this.#authorizationOptions(agreed)), waitMs: this.#options.waitMs });
  }

  /**
   * Like `start`, but the browser returns to another listener, which identifies the flow by its state: see `finish`.
   * Rejects with AppError.
   */
  async startAt(redirectUrl: string, newState: () => string, agreed?: readonly string[]): Promise<AuthorizationState> {
    const { startPendingAuthorization } = await import('./pending-authorization.ts');
    const options = await this.#authorizationOptions(agreed ?? this.requestedScopes?.scopes);
    return startPendingAuthorization({ ...options, newState }, redirectUrl).catch((error: unknown) =>
      this.#failed(error),
    );
  }

  /** Completes a sign-in with the callback's parameters, or starts another one. Rejects with AppError. */
  async finish(
    state: AuthorizationState,
    params: URLSearchParams,
    newState: () => string,
  ): Promise<{ readonly text: string } | { readonly next: AuthorizationState }> {
    const { completeAuthorization } = await import('./pending-authorization.ts');
    const options = await this.#authorizationOptions();
    return completeAuthorization(params, state, { ...options, newState }).catch((error: unknown) =>
      this.#failed(error),
    );
  }

  /** Reloads tokens that another process may have changed. Rejects as the store does. */
  async reload(): Promise<void> {
    this.#use(await this.#options.store.read(this.#options.key));
  }

  /**
   * Starts a sign-in for the requested scopes while calls continue; concurrent callers share it. Rejects with
   * AppError.
   */
  requestScopes(): Promise<AuthorizationFlow> {
    if (this.#widening !== undefined) return this.#widening;
    const widening = this.start(this.requestedScopes?.scopes);
    const end = (): void => {
      if (this.#widening === widening) this.#widening = undefined;
      this.#rights.isOnTheWay = this.#widening !== undefined;
    };
    this.#widening = widening;
    this.#rights.isOnTheWay = true;
    widening.then(({ done }) => done).then(end, end);
    return widening;
  }

  /** The user refuses the requested scopes. */
  async refuseScopes(by: string): Promise<void> {
    const { requestedScopes } = this;
    if (requestedScopes === undefined) return;
    await this.#giveUp();
    const refused = { scopes: requestedScopes.scopes, at: Date.now(), by };
    await this.#save((stored) => ({ ...stored, refused }));
    this.#rights.forget();
  }

  /** The server may request the scopes again. */
  async allowToAsk(): Promise<void> {
    await this.#save(({ refused: _refused, ...stored }) => stored);
  }

  /** Revokes the tokens and deletes them here, even if revocation fails. Rejects as the store does. */
  async signOut(): Promise<RevocationResult> {
    const { key, store } = this.#options;
    await this.#giveUp();
    let revoked: RevocationResult = { how: 'nothing' };
    const stored = await store.update(key, async (before) => {
      revoked = await this.#takeBack(before);
      return {};
    });
    this.#rights.forget();
    this.#use(stored);
    return revoked;
  }

  /**
   * Signs out of a removed entry. Resolves when everything is deleted here, even with a locked vault; the result of
   * the revocation comes later and never rejects. Rejects with the file system's error.
   */
  async signOutRemoved(): Promise<{ readonly takenBack: Promise<RevocationResult> }> {
    const { key, store } = this.#options;
    await this.#giveUp();
    const stored = await store.take(key);
    this.#rights.forget();
    this.#use({});
    // Tokens that cannot be decrypted cannot be revoked either.
    return { takenBack: stored === undefined ? Promise.resolve({ how: 'failed' }) : this.#takeBack(stored) };
  }

  async #authorizationOptions(agreed?: readonly string[]): Promise<PendingAuthorizationOptions> {
    const { key, store, serverName, hasTwin } = this.#options;
    const { registration, grant } = await store.read(key);
    const entry = await this.#options.fill();
    return {
      serverName,
      ...entry,
      fetch: this.#fetch,
      registration,
      grant,
      challenge: this.#challenge,
      documentUrl: entry.client?.clientMetadataUrl ?? this.#options.documentUrl(),
      asksAccount: await hasTwin(),
      ...(agreed !== undefined && { agreed: agreed.join(' ') }),
      requireSafe: (url) => assertSafePage(url, this.#home, serverName),
      saveRegistration: (next) =>
        this.#save((stored) => ({ ...stored, registration: next, replaced: replacedBy(next, stored) })),
      saveGrant: (next) => this.#saveGrant(next),
    };
  }

  async #failed(error: unknown): Promise<never> {
    const { toOAuthError } = await import('./oauth-errors.ts');
    throw toOAuthError(this.#options.serverName, error);
  }

  /**
   * Deletes earlier registrations only now, because the user may abandon a new sign-in, and then their tokens stay
   * valid.
   */
  async #saveGrant(next: Grant): Promise<void> {
    let replaced: StoredAuthorization['replaced'];
    await this.#save(({ refused: _refused, replaced: before, ...stored }) => {
      replaced = before;
      return { ...stored, grant: next };
    });
    const { deleteClient } = await import('./revoke-grant.ts');
    // Runs in the background and never rejects.
    for (const registration of replaced ?? []) void deleteClient(registration, this.#fetch);
  }

  /** Never rejects. */
  async #takeBack({ grant, registration, replaced = [] }: StoredAuthorization): Promise<RevocationResult> {
    if (grant === undefined && registration === undefined) return { how: 'nothing' };
    const { deleteClient, revokeGrant } = await import('./revoke-grant.ts');
    const { client } = await this.#options.fill().catch((): Partial<ResolvedEntry> => ({}));
    const revoked: RevocationResult =
      grant === undefined ? { how: 'nothing' } : await revokeGrant(grant, { client, fetch: this.#fetch });
    await Promise.all([registration, ...replaced].map((one) => deleteClient(one, this.#fetch)));
    return revoked;
  }

  get #home(): AddressKind {
    return addressKindOf(this.serverUrl, this.#answeredFrom);
  }

  async #giveUp(): Promise<void> {
    const attempt = await this.#widening?.catch(() => undefined);
    attempt?.cancel();
  }

  #stored(): Promise<StoredAuthorization> {
    this.#known ??= this.#options.store.read(this.#options.key).then(
      (stored) => this.#learn(stored),
      (error: unknown) => {
        // The vault may be unlocked at the next request.
        this.#known = undefined;
        throw error;
      },
    );
    return this.#known;
  }

  async #renew(refused: string | undefined): Promise<string | undefined> {
    const { key, store } = this.#options;
    const seen = await store.read(key);
    if ((await this.#counting(seen)) === undefined) {
      this.#use(seen);
      return undefined;
    }
    const stored = await store.update(key, async (now) => {
      const { grant } = now;
      // Another process has refreshed the tokens first.
      if (grant === undefined || grant.tokens.access_token !== refused) return now;
      const { refreshTokens } = await import('./refresh-tokens.ts');
      const entry = await this.#options.fill();
      const tokens = await refreshTokens(grant, { ...this.#options, ...entry, fetch: this.#fetch });
      return { ...now, grant: tokens && { ...grant, tokens } };
    });
    return this.#use(stored);
  }

  /** Returns the grant if it applies to the current entry, secrets included. Rejects as `fill` does. */
  async #counting({ grant }: StoredAuthorization): Promise<Grant | undefined> {
    if (grant === undefined) return undefined;
    const isWhole = !JSON.stringify([this.serverUrl, this.client]).includes('${');
    return grantFor(grant, isWhole ? this : await this.#options.fill());
  }

  async #save(change: (stored: StoredAuthorization) => StoredAuthorization): Promise<void> {
    const { key, store } = this.#options;
    this.#use(await store.update(key, async (stored) => change(stored)));
  }

  #use(stored: StoredAuthorization): string | undefined {
    this.#known = Promise.resolve(this.#learn(stored));
    if (stored.grant !== undefined) this.#over = false;
    return stored.grant?.tokens.access_token;
  }

  #learn(stored: StoredAuthorization): StoredAuthorization {
    const before = this.#latest;
    this.#latest = stored;
    const { grant } = stored;
    if (grant !== undefined && grant.tokens.access_token !== before.grant?.tokens.access_token)
      this.#rights.onGranted(grant.requestedScope ?? grant.tokens.scope);
    const registrations = [
      ...(stored.registration === undefined ? [] : [stored.registration]),
      ...(stored.replaced ?? []),
    ];
    const ofClients = registrations.flatMap(({ client, management }) => [client.client_secret, management?.token]);
    const secrets = [...secretsOf(grant), ...ofClients].filter((one) => one !== undefined);
    if (secrets.join('\n') !== this.#secrets.join('\n')) {
      this.#secrets = secrets;
      this.#options.onSecrets();
    }
    if ((grant === undefined) !== (before.grant === undefined) || stored.refused !== before.refused)
      this.#options.onChange();
    return stored;
  }
}

/**
 * A grant is valid for the address, the account and the authorization server of its sign-in: an entry that now has
 * others, or another secret, is not signed in. Placeholders are not compared.
 */
function grantFor(grant: Grant | undefined, { serverUrl, client }: ResolvedEntry): Grant | undefined {
  const { account, issuer } = client ?? {};
  const names = account === undefined ? undefined : accountNames(grant?.tokens.id_token)?.all;
  const isSame = (wanted: string | undefined, is: string | undefined): boolean =>
    wanted === undefined || is === undefined || wanted.includes('${') || wanted === is;
  const isFor =
    isSame(resourceAddress(serverUrl), grant?.address) &&
    isSame(issuer, grant?.discovery.authorizationServerMetadata?.issuer) &&
    (names === undefined || account?.includes('${') === true || names.includes(account?.toLowerCase() ?? ''));
  return isFor ? grant : undefined;
}

/** Maximum number of earlier registrations that are kept for deletion. */
const maxReplaced = 10;

function replacedBy(
  next: Registration,
  { registration, replaced = [] }: StoredAuthorization,
): StoredAuthorization['replaced'] {
  const isStored = registration?.management !== undefined && registration.client.client_id !== next.client.client_id;
  return isStored ? [...replaced, registration].slice(-maxReplaced) : replaced;
}

function secretsOf(grant: Grant | undefined): (string | undefined)[] {
  if (grant === undefined) return [];
  const { access_token, refresh_token, id_token } = grant.tokens;
  return [access_token, refresh_token, id_token, grant.client.client_secret];
}

// Sends requests to a server with its token. A request rejected with 401 is repeated once after a refresh.

/**
 * Returns the server's response, including a final 401. Rejects as `fetch` does, or with AppError if the refresh
 * failed or more scopes are needed.
 */
export function createAuthorizedFetch(fetch: FetchLike, signIn: TokenSource): FetchLike {
  const { origin } = new URL(signIn.serverUrl);
  return async (url, init = {}) => {
    // The token is for this origin only.
    if (new URL(url).origin !== origin) return fetch(url, init);
    const token = await signIn.accessToken();
    const response = await send(token);
    const renewed = response.status === 401 ? await signIn.renew(token) : undefined;
    if (renewed === undefined || renewed === token) return response;
    await response.body?.cancel();
    return send(renewed);

    async function send(sent: string | undefined): Promise<Response> {
      const answer = await fetch(url, withToken(init, sent));
      signIn.onUsed(answer);
      if (answer.status === 403) await signIn.requireScopes(answer);
      return answer;
    }
  };
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}
