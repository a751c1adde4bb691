/**
 * Being signed in to one server: the token for its requests, its silent renewal, the way to a new one, to more rights,
 * and out.
 */
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
  /** The same with the secrets in. Rejects with AppError where one cannot be had. */
  readonly fill: () => Promise<ResolvedEntry>;
  /** Key in the store. */
  readonly key: string;
  readonly store: GrantStore;
  /** A document about us that is our client id where the entry names no other; undefined: there is none. */
  readonly documentUrl: () => string | undefined;
  /** Loaded when it is needed. */
  readonly http: () => Promise<HttpFetch>;
  readonly waitMs: number;
  /** The secrets are others than before. */
  readonly onSecrets: () => void;
  /** It is signed in, or not any more; or it asks for other rights. */
  readonly onChange: () => void;
  /** Is another entry signed in to the same address? */
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
  /** Empty if none is named. */
  readonly scope: string;
  /** When the user signed in, in ms since 1970; undefined if that is not known, or they are not. */
  readonly grantedAt: number | undefined;
}

/** The source of tokens for a server's requests. */
export interface TokenSource {
  /** They are for its origin alone. */
  readonly serverUrl: string;
  /** Whether a sign-in existed and has expired: requests fail until the user signs in again. */
  readonly isExpired: boolean;
  /** The token to send, if there is one. Rejects with AppError. */
  accessToken(): Promise<string | undefined>;
  /** Returns a replacement for a refused token; undefined if there is none. Rejects with AppError. */
  renew(refused: string | undefined): Promise<string | undefined>;
  /** Receives every response. */
  onUsed(response: Response): void;
  /** Rejects with AppError where a 403 asks for more rights. */
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

  /** The name of its entry. */
  get serverName(): string {
    return this.#options.serverName;
  }

  /** Key in the store, shared by all entries with the same sign-in. */
  get key(): string {
    return this.#options.key;
  }

  /** Texts that must never be shown. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** We were signed in and are not any more: nothing will work until the user has signed in again. */
  get isExpired(): boolean {
    return this.#over;
  }

  /** More rights that it asks for, while the user has not decided. */
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

  /** The token to send, if we have one. */
  async accessToken(): Promise<string | undefined> {
    return (await this.#counting(await this.#stored()))?.tokens.access_token;
  }

  /**
   * Returns a replacement for a refused token; undefined if only the user can help. The refresh token is used once,
   * however many requests and processes ask at the same time. Rejects with AppError `server_unreachable`.
   */
  async renew(refused: string | undefined): Promise<string | undefined> {
    this.#renewing ??= this.#renew(refused).finally(() => (this.#renewing = undefined));
    const renewed = await this.#renewing;
    this.#over = renewed === undefined && (this.#over || refused !== undefined);
    return renewed;
  }

  /** Remembers where an answer came from, and of a 401 or 403 what it asks for. */
  onUsed(response: Response): void {
    this.#answeredFrom = dialedAddress(response) ?? this.#answeredFrom;
    if (response.status === 401 || response.status === 403)
      this.#challenge = response.headers.get('www-authenticate') ?? undefined;
  }

  /** Throws AppError `server_unauthorized` where a 403 asks for more rights, with what becomes of that. */
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
    // Loaded only here, as below: it brings the SDK along, and most starts are of users who are signed in.
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

  /**
   * Turns what came back of a visit, wherever it began, into a sign-in, or into another visit. Rejects with AppError.
   */
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
   * Signs in for the requested scopes, beside running calls; concurrent callers get the same flow. Rejects with
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

  /** The user does not want to give the rights that are asked for. */
  async refuseScopes(by: string): Promise<void> {
    const { requestedScopes } = this;
    if (requestedScopes === undefined) return;
    await this.#giveUp();
    const refused = { scopes: requestedScopes.scopes, at: Date.now(), by };
    await this.#save((stored) => ({ ...stored, refused }));
    this.#rights.forget();
  }

  /** It may ask again. */
  async allowToAsk(): Promise<void> {
    await this.#save(({ refused: _refused, ...stored }) => stored);
  }

  /**
   * Takes the tokens back at who granted them, and forgets all of it here, whatever comes of that. Rejects as the store
   * does.
   */
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
   * For an entry that is gone: resolves when nothing of it is here any more, even where the vault is locked; what
   * became of it at who granted it comes later, and never rejects. Rejects with the file system's error.
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
   * Deletes earlier registrations only now: until then their tokens count, and the user may abandon the new sign-in.
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
        // The vault may be open when it is asked for the next time.
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
 * A sign-in is for the address, the account and the authorization server that it was made for: an entry that names
 * another one by now under the same name, or by another secret, is not signed in. What names are still to be filled in
 * is not compared.
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

/** Registrations that can still be struck off; more than this in a row come to nothing. */
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

// Sends requests to a server under the sign-in there is; one that is refused is sent once more after a silent renewal.

/**
 * Answers what the server answers, a last 401 included. Rejects as `fetch` does, or with AppError when renewing failed
 * or when more rights are needed.
 */
export function createAuthorizedFetch(fetch: FetchLike, signIn: TokenSource): FetchLike {
  const { origin } = new URL(signIn.serverUrl);
  return async (url, init = {}) => {
    // The token is for this server alone.
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
