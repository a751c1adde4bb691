/** Being signed in to one server: the token for its requests, its silent renewal, and the way to a new one. */
import type { OAuthClient } from '../../config/app-config.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';
import { createSignInFetch } from './sign-in-fetch.ts';
import type { Grant, SignInStore, StoredSignIn } from './sign-in-store.ts';

interface ServerSignInOptions {
  readonly serverName: string;
  readonly serverUrl: string;
  /** Registered by hand. */
  readonly client?: OAuthClient | undefined;
  /** Of the store. */
  readonly key: string;
  readonly store: SignInStore;
  readonly fetch: FetchLike;
  readonly waitMs: number;
  /** The secrets are others than before. */
  readonly onSecrets: () => void;
}

export class ServerSignIn {
  readonly serverUrl: string;
  readonly client: OAuthClient | undefined;
  readonly #options: ServerSignInOptions;
  readonly #fetch: FetchLike;
  /** As stored when we last looked; undefined before that. */
  #known: Promise<StoredSignIn> | undefined;
  #secrets: readonly string[] = [];
  /** The WWW-Authenticate header of the latest refusal. */
  #challenge: string | undefined;
  #renewing: Promise<string | undefined> | undefined;
  #over = false;

  constructor(options: ServerSignInOptions) {
    this.#options = options;
    this.serverUrl = options.serverUrl;
    this.client = options.client;
    this.#fetch = createSignInFetch(options);
  }

  /** What must never be shown. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** We were signed in and are not any more: nothing will work until the person has signed in again. */
  get over(): boolean {
    return this.#over;
  }

  /** The token to send, if we have one. */
  async accessToken(): Promise<string | undefined> {
    this.#known ??= this.#options.store.read(this.#options.key).then((stored) => this.#learn(stored));
    return (await this.#known).grant?.tokens.access_token;
  }

  /**
   * What to send instead of a token that was refused; undefined when only a person can help. However many requests ask at
   * once, in however many processes, the refresh token is used once. Rejects with AppError server_unreachable.
   */
  async renew(refused: string | undefined): Promise<string | undefined> {
    this.#renewing ??= this.#renew(refused).finally(() => (this.#renewing = undefined));
    const renewed = await this.#renewing;
    this.#over = renewed === undefined && (this.#over || refused !== undefined);
    return renewed;
  }

  /** Remembers what a 401 or 403 asks for. */
  sawRefusal(response: Response): void {
    this.#challenge = response.headers.get('www-authenticate') ?? undefined;
  }

  /** Rejects with AppError. */
  async begin(): Promise<SignInAttempt> {
    const { key, store } = this.#options;
    const { registration, grant } = await store.read(key);
    // Loaded only here, as below: it brings the SDK along, and most starts are of people who are signed in.
    const { beginSignIn, readChallenge } = await import('./sign-in-attempt.ts');
    return beginSignIn({
      ...this.#options,
      fetch: this.#fetch,
      registration,
      challenge: readChallenge(this.#challenge, grant?.tokens.scope),
      saveRegistration: (next) => this.#save((stored) => ({ ...stored, registration: next })),
      saveGrant: (next) => this.#save((stored) => ({ ...stored, grant: next })),
    });
  }

  async #renew(refused: string | undefined): Promise<string | undefined> {
    const { key, store, serverName } = this.#options;
    const seen = await store.read(key);
    if (seen.grant === undefined) return this.#use(seen);
    const stored = await store.update(key, async (now) => {
      const { grant } = now;
      // Another process was first.
      if (grant === undefined || grant.tokens.access_token !== refused) return now;
      const { refreshTokens } = await import('./refresh-tokens.ts');
      const tokens = await refreshTokens(grant, serverName, this.#fetch);
      return { ...now, grant: tokens && { ...grant, tokens } };
    });
    return this.#use(stored);
  }

  async #save(change: (stored: StoredSignIn) => StoredSignIn): Promise<void> {
    const { key, store } = this.#options;
    this.#use(await store.update(key, async (stored) => change(stored)));
  }

  #use(stored: StoredSignIn): string | undefined {
    this.#known = Promise.resolve(this.#learn(stored));
    if (stored.grant !== undefined) this.#over = false;
    return stored.grant?.tokens.access_token;
  }

  #learn(stored: StoredSignIn): StoredSignIn {
    const secrets = [...secretsOf(stored.grant), stored.registration?.client.client_secret].filter(
      (one) => one !== undefined,
    );
    if (secrets.join('\n') !== this.#secrets.join('\n')) {
      this.#secrets = secrets;
      this.#options.onSecrets();
    }
    return stored;
  }
}

function secretsOf(grant: Grant | undefined): (string | undefined)[] {
  if (grant === undefined) return [];
  const { access_token, refresh_token, id_token } = grant.tokens;
  return [access_token, refresh_token, id_token, grant.client.client_secret];
}

// Sends requests to a server under the sign-in there is; one that is refused is sent once more after a silent renewal.

/** Answers what the server answers, a last 401 included. Rejects as `fetch` does, or with AppError when renewing failed. */
export function createAuthorizedFetch(fetch: FetchLike, signIn: ServerSignIn): FetchLike {
  const { origin } = new URL(signIn.serverUrl);
  return async (url, init = {}) => {
    // The token is for this server alone.
    if (new URL(url).origin !== origin) return fetch(url, init);
    const token = await signIn.accessToken();
    const response = await fetch(url, withToken(init, token));
    if (response.status !== 401 && response.status !== 403) return response;
    signIn.sawRefusal(response);
    const renewed = response.status === 401 ? await signIn.renew(token) : undefined;
    if (renewed === undefined || renewed === token) return response;
    await response.body?.cancel();
    const second = await fetch(url, withToken(init, renewed));
    if (second.status === 401 || second.status === 403) signIn.sawRefusal(second);
    return second;
  };
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}
