/** The sign-ins of all HTTP servers, and which servers support one. */
import type { LookupFunction } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../base/errors.ts';
import { Emitter } from '../../base/emitter.ts';
import type { HttpServerConfig, ServerConfig } from '../../config/server-config.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { OutboundNetwork } from '../network/outbound-network.ts';
import type { HttpFetch } from '../network/http-fetch.ts';
import { type ResolvedEntry, ServerOAuth, type ServerOAuthOptions } from './server-oauth.ts';
import { grantKey, type GrantStore, VaultGrantStore, type StoredAuthorization } from './grant-store.ts';
import type { RevocationResult } from './revoke-grant.ts';

/** `folder`: for locks only. */
interface InHome {
  readonly folder: string;
  readonly vault: SecretStore;
}

interface StoredAuthorizations {
  readonly grants: GrantStore;
}

type SignInsOptions = (InHome | StoredAuthorizations) & SignInsSettings;

interface SignInsSettings {
  /** Source of HTTP_PROXY and the like. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly network?: OutboundNetwork | undefined;
  /** Time limit for the user, in ms (default: 5 minutes). */
  readonly waitMs?: number;
  /**
   * Fills in the secrets that an entry names; without it there are none. Rejects with AppError `secret_missing` or
   * `secret_locked`.
   */
  readonly fill?: ((config: HttpServerConfig) => Promise<HttpServerConfig>) | undefined;
  /** URL of a client ID metadata document; undefined if none is published. */
  readonly documentUrl?: (() => string | undefined) | undefined;
  /** Resolves names of authorization servers; the system's resolver by default. */
  readonly lookup?: LookupFunction;
}

export class OAuthManager {
  /** Emits when tokens are added, removed or changed. */
  readonly secretsChanged = new Emitter();
  /** Emits when a user signs in or out, or a server requests other scopes. */
  readonly changed = new Emitter();
  readonly #options: SignInsOptions;
  readonly #store: GrantStore;
  readonly #servers = new Map<string, ServerOAuth>();
  #loaded: Promise<HttpFetch> | undefined;

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#store = 'grants' in options ? options.grants : new VaultGrantStore(options.folder, options.vault);
  }

  /** All tokens in use, for maskers. */
  get secrets(): string[] {
    return [...this.#servers.values()].flatMap((server) => server.secrets);
  }

  /** Undefined for servers without sign-in: local ones, and those with a key in their entry. */
  find(config: ServerConfig): ServerOAuth | undefined {
    if ((config.kind !== 'http' && config.kind !== 'sse') || hasKey(config)) return undefined;
    const key = grantKey(config.name, config.url, config.oauth?.clientId);
    const known = this.#servers.get(key);
    if (known !== undefined && isDeepStrictEqual(known.client, config.oauth)) return known;
    const { name: serverName, url: serverUrl, oauth: client } = config;
    const signIn = this.#open({ serverName, serverUrl, client, fill: () => this.#fill(config), key });
    this.#servers.set(key, signIn);
    return signIn;
  }

  /** Throws AppError `unsupported` with the reason. */
  get(config: ServerConfig): ServerOAuth {
    const found = this.find(config);
    if (found !== undefined) return found;
    if (config.kind === 'http' || config.kind === 'sse') {
      throw new AppError('unsupported', `${config.name} has an API key in its headers, so it needs no sign-in.`, {
        fix: 'Check that key, or remove the Authorization header to sign in instead.',
      });
    }
    throw new AppError('unsupported', `${config.name} is not a remote server, so it needs no sign-in.`);
  }

  /** Signs out of a server whose entry was removed, by key, like `signOut`. */
  async signOutRemoved(key: string, serverName: string): Promise<{ readonly takenBack: Promise<RevocationResult> }> {
    const known = this.#servers.get(key);
    if (known !== undefined) return known.signOutRemoved();
    const { grant } = await this.#store.read(key).catch((): StoredAuthorization => ({}));
    // The server's address is unknown, so the network rules follow the authorization server.
    const serverUrl = grant?.discovery.authorizationServerUrl ?? 'https://gone.invalid';
    const fill = (): Promise<ResolvedEntry> => Promise.resolve({ serverUrl });
    return this.#open({ serverName, serverUrl, fill, key }).signOutRemoved();
  }

  /** Returns a sign-in by its key, if it was opened before. */
  known(key: string): ServerOAuth | undefined {
    return this.#servers.get(key);
  }

  close(): void {
    void this.#loaded?.then((http) => http.close());
  }

  /** Loads node:http only for a sign-in: importing it takes as long as half of a bare start of Node. */
  readonly #http = (): Promise<HttpFetch> => {
    this.#loaded ??= import('../network/http-fetch.ts').then(({ HttpFetch }) => new HttpFetch(this.#options));
    return this.#loaded;
  };

  #open(entry: Pick<ServerOAuthOptions, 'serverName' | 'serverUrl' | 'client' | 'fill' | 'key'>): ServerOAuth {
    return new ServerOAuth({
      ...entry,
      store: this.#store,
      http: this.#http,
      documentUrl: () => this.#options.documentUrl?.(),
      waitMs: this.#options.waitMs ?? 5 * 60_000,
      onSecrets: () => this.secretsChanged.emit(),
      onChange: () => this.changed.emit(),
      hasTwin: () => this.#hasTwin(entry.key, entry.serverUrl),
    });
  }

  async #fill(config: HttpServerConfig): Promise<ResolvedEntry> {
    const { url, oauth } = (await this.#options.fill?.(config)) ?? config;
    return { serverUrl: url, client: oauth };
  }

  /** Whether another entry, even a removed one, uses the same address, so that the browser may know its account. */
  async #hasTwin(key: string, url: string): Promise<boolean> {
    const others = [...this.#servers].filter(([other, { serverUrl }]) => other !== key && serverUrl === url);
    const stored = await Promise.all(others.map(([other]) => this.#store.read(other)));
    return stored.some(({ grant }) => grant !== undefined);
  }
}

function hasKey({ headers }: HttpServerConfig): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
