/**
 * Per-user sign-ins to servers, encrypted in the database and refreshed once for all replicas. A browser flow may
 * start on one replica and return to another: its state is stored with the user's secrets and consumed once.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import {
  type GrantStore,
  grantVaultKey,
  type HttpServerConfig,
  oauthError,
  OAuthManager,
  parseAuthorization,
  parseSecretVaultKey,
  seal,
  serializeAuthorization,
  type ServerConfig,
  type ServerOAuth,
  serverSecretPrefix,
  unseal,
  type AuthorizationState,
} from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import type { TeamVault, TeamVaults } from '../secrets/team-vault.ts';

export interface TeamSignInsOptions {
  readonly vaults: TeamVaults;
  /** Keys for this purpose, 32 bytes each: the first encrypts, all decrypt. */
  readonly ring: readonly Buffer[];
  /** Returns the URL at which browsers reach any replica. Throws AppError if none is configured. */
  readonly publicUrl: () => string;
  /** Name of a user; undefined if they no longer have access. */
  readonly nameOf: (user: string) => Promise<string | undefined>;
  /** HTTP_PROXY and similar variables are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Entry of a server; undefined if there is none. */
  readonly server: (name: string) => ServerConfig | undefined;
  /** Resolves secrets, the user's own before the organization's. */
  readonly fill?: ((config: HttpServerConfig, user: string) => Promise<HttpServerConfig>) | undefined;
  readonly lookup?: LookupFunction;
  /** URL of the client metadata document used for all servers; undefined if none is configured. */
  readonly documentUrl?: () => string | undefined;
  /** Current time in ms since 1970. */
  readonly now: () => number;
}

/** The user and server of a sign-in link. */
export interface Invitation {
  readonly user: string;
  readonly server: string;
  /** Additional scopes requested by the server, on any replica. */
  readonly scopes?: readonly string[] | undefined;
}

/** A user signed in to a server, signed out, or signed in again. */
export interface SignInChange {
  readonly user: string;
  readonly server: string;
  /** Whether the user was signed in before: open connections then belong to the previous sign-in. */
  readonly wasSignedIn: boolean;
}

/** Lifetime of a link, and time for the user to sign in then, in ms. */
const linkTtlMs = 15 * 60_000;
const authorizationTtlMs = 10 * 60_000;

export class TeamSignIns {
  /** Tokens were added, removed, or changed. */
  readonly secretsChanged = new Emitter();
  /** On any replica; token refreshes are not included. */
  readonly changed = new Emitter<SignInChange>();
  /** A user's own values for servers changed. */
  readonly valuesChanged = new Emitter<string>();
  readonly #options: TeamSignInsOptions;
  readonly #users = new Map<string, { readonly signIns: OAuthManager; readonly stop: () => void }>();

  constructor(options: TeamSignInsOptions) {
    this.#options = options;
  }

  get redirectUrl(): string {
    return `${this.#base}/sign-in/callback`;
  }

  /** URL of the client metadata document, for authorization servers that accept it as a client ID. */
  get documentUrl(): string {
    return `${this.#base}/sign-in/client.json`;
  }

  /** All tokens in use, so that they can be masked. */
  get secrets(): string[] {
    return [...this.#users.values()].flatMap(({ signIns }) => signIns.secrets);
  }

  /** Users that have used or looked up a sign-in on this replica. */
  get users(): readonly string[] {
    return [...this.#users.keys()];
  }

  /** The OAuth manager of one user. */
  of(user: string): OAuthManager {
    const known = this.#users.get(user);
    if (known !== undefined) return known.signIns;
    const { vaults, env, lookup, fill, documentUrl } = this.#options;
    const vault = vaults.forUser(user);
    const signIns = new OAuthManager({
      grants: new VaultTokenStore(vault),
      env,
      ...(fill && { fill: (config) => fill(config, user) }),
      ...(lookup && { lookup }),
      documentUrl,
    });
    signIns.secretsChanged.on(() => this.secretsChanged.emit());
    // Another replica refreshed a token, or signed this user in or out.
    const stop = vault.changed.on((names) => {
      for (const name of names) void this.#onVaultChange(user, signIns.known(name.slice(prefix.length)));
      if (names.some((name) => parseSecretVaultKey(name).length > 0)) this.valuesChanged.emit(user);
    });
    this.#users.set(user, { signIns, stop });
    return signIns;
  }

  /** Creates the user's own sign-in link for a server, valid for 15 minutes. */
  link(invitation: Invitation): string {
    return `${this.#base}/sign-in/${this.#encrypt({ ...invitation, until: this.#options.now() + linkTtlMs }, 'link')}`;
  }

  /**
   * Returns the owner of a link and their name. Rejects with AppError `not_allowed` if it is invalid or expired, or the
   * user is gone.
   */
  async invitation(link: string): Promise<Invitation & { readonly name: string }> {
    const invitation = this.#decrypt<Invitation>(link, 'link');
    return { ...invitation, name: await this.#nameOf(invitation.user) };
  }

  /** The URL for the browser that has `binding`; the callback is valid only in the same one. Rejects with AppError. */
  async begin(invitation: Invitation, binding: string): Promise<string> {
    const { scopes, server, user } = invitation;
    const ids: string[] = [];
    const newState = (): string => this.#newState(user, ids);
    const pkceState = await this.#signIn(invitation).startAt(this.redirectUrl, newState, scopes);
    await this.#keep(pkceState, { server, user, id: ids.at(-1) ?? '', binding: hashOf(binding) });
    return pkceState.url;
  }

  /** Completes a callback once; returns the page text or the next URL. Rejects with AppError. */
  async finish(
    params: URLSearchParams,
    binding: string,
  ): Promise<{ readonly text: string } | { readonly goTo: string }> {
    const { user, id } = this.#decrypt<{ user: string; id: string }>(params.get('state') ?? '', 'state');
    const kept = await this.#options.vaults.forUser(user).take(authorizationKey(id));
    if (kept === undefined) throw notAllowed('This sign-in was already used or has expired.');
    const { pkceState, server, binding: bound } = JSON.parse(kept) as StoredAuthorization;
    // The authorization URL was opened in another browser than the one that consented on our page.
    if (bound !== hashOf(binding)) throw notAllowed('This sign-in was started in another browser.');
    await this.#nameOf(user);
    const ids: string[] = [];
    const came = await this.#signIn({ user, server }).finish(pkceState, params, () => this.#newState(user, ids));
    if ('text' in came) return came;
    await this.#keep(came.next, { server, user, id: ids.at(-1) ?? '', binding: bound });
    return { goTo: came.next.url };
  }

  /** Sign-ins of a user, with their accounts. Rejects with AppError. */
  async list(user: string): Promise<readonly VaultedSignIn[]> {
    const vault = this.#options.vaults.forUser(user);
    const names = await vault.names(prefix);
    const held = await Promise.all(names.map(async ({ name }) => heldIn(name, await vault.read(name))));
    return held.filter((one) => one !== undefined);
  }

  /** Names of this user's own values, `${user:NAME}`. Rejects with AppError. */
  async valuesOf(user: string): Promise<readonly string[]> {
    const kept = await this.#options.vaults.forUser(user).names(serverSecretPrefix);
    return kept.flatMap(({ name }) => parseSecretVaultKey(name));
  }

  /**
   * Signs a user out of one server, or of all if `server` is undefined, and revokes the tokens at the authorization
   * servers if possible. Resolves to the ended sign-ins.
   */
  async signOut(user: string, server?: string): Promise<readonly VaultedSignIn[]> {
    const meant = (await this.list(user)).filter((one) => server === undefined || one.server === server);
    const left = await Promise.all(meant.map(({ key, server: name }) => this.of(user).signOutRemoved(key, name)));
    await Promise.all(left.map(({ takenBack }) => takenBack));
    return meant;
  }

  /** For a removed user: revokes their grants as far as possible, and deletes them. */
  async erase(user: string): Promise<void> {
    const { vaults } = this.#options;
    const vault = vaults.forUser(user);
    const signIns = this.of(user);
    const names = await vault.names(prefix);
    const left = await Promise.all(
      names.map(({ name }) => signIns.signOutRemoved(name.slice(prefix.length), 'A server')),
    );
    await Promise.all(left.map(({ takenBack }) => takenBack));
    await vault.erase();
    this.#users.get(user)?.stop();
    signIns.close();
    this.#users.delete(user);
  }

  close(): void {
    for (const { signIns, stop } of this.#users.values()) {
      stop();
      signIns.close();
    }
  }

  get #base(): string {
    return this.#options.publicUrl().replace(/\/+$/, '');
  }

  async #onVaultChange(user: string, signIn: ServerOAuth | undefined): Promise<void> {
    if (signIn === undefined) return;
    const before = stateDigest(signIn);
    const { isSignedIn: wasSignedIn } = signIn.info;
    await signIn.reload().catch(() => undefined);
    if (stateDigest(signIn) !== before) this.changed.emit({ user, server: signIn.serverName, wasSignedIn });
  }

  async #nameOf(user: string): Promise<string> {
    const name = await this.#options.nameOf(user);
    if (name === undefined) throw new AppError('not_allowed', 'The user of this link no longer has access.');
    return name;
  }

  #signIn({ user, server }: Pick<Invitation, 'user' | 'server'>): ServerOAuth {
    const config = this.#options.server(server);
    if (config === undefined) throw notAllowed('This server no longer exists.');
    return this.of(user).get(config);
  }

  /** A new state for each flow. */
  #newState(user: string, ids: string[]): string {
    const id = randomBytes(16).toString('base64url');
    ids.push(id);
    return this.#encrypt({ user, id, until: this.#options.now() + authorizationTtlMs }, 'state');
  }

  async #keep(
    pkceState: AuthorizationState,
    { id, user, server, binding }: Invitation & { id: string; binding: string },
  ): Promise<void> {
    const vault = this.#options.vaults.forUser(user);
    const kept: StoredAuthorization = { pkceState, server, binding };
    await vault.sweep(visits, authorizationTtlMs);
    await vault.write(authorizationKey(id), JSON.stringify(kept));
  }

  #encrypt(value: object, what: string): string {
    const [first] = this.#options.ring;
    if (first === undefined) throw oauthError('The server', 'cannot be signed in to: no team key is configured');
    return seal(first, JSON.stringify(value), aboutOf(what));
  }

  #decrypt<T extends object>(text: string, what: string): T {
    for (const key of this.#options.ring) {
      const opened = unseal(key, text, aboutOf(what));
      if (opened === undefined) continue;
      const value = JSON.parse(opened) as T & { readonly until: number };
      if (value.until < this.#options.now()) throw notAllowed('This link has expired.');
      return value;
    }
    throw notAllowed('Invalid link.');
  }
}

export interface VaultedSignIn {
  readonly key: string;
  /** Name of the server; empty if not recorded. */
  readonly server: string;
  readonly account: string | undefined;
  readonly issuer: string | undefined;
  /** Current time in ms since 1970. */
  readonly grantedAt: number | undefined;
}

/** undefined if there is no sign-in. */
function heldIn(name: string, text: string | undefined): VaultedSignIn | undefined {
  const grant = parseAuthorization(text)?.grant;
  if (grant === undefined) return undefined;
  const { account, discovery, grantedAt, server = '' } = grant;
  const issuer = discovery.authorizationServerMetadata?.issuer;
  return { key: name.slice(prefix.length), server, account, issuer, grantedAt };
}

interface StoredAuthorization {
  readonly pkceState: AuthorizationState;
  readonly server: string;
  /** Value held by the browser that consented. */
  readonly binding: string;
}

/** Changes with each sign-in, but not with refreshes. */
function stateDigest({ info: { isSignedIn, grantedAt } }: ServerOAuth): string {
  return isSignedIn ? `in ${grantedAt}` : 'out';
}

const prefix = 'sign-in/';
const visits = 'visit/';

function authorizationKey(id: string): string {
  return `${visits}${id}`;
}

function aboutOf(what: string): string {
  return `tooltray login ${what}`;
}

function hashOf(binding: string): string {
  return createHash('sha256').update(binding).digest('base64url');
}

function notAllowed(why: string): AppError {
  return new AppError('not_allowed', why, { fix: 'Request a new link from your app.' });
}

/** Sign-ins of one user in the team's vault. */
class VaultTokenStore implements GrantStore {
  readonly #vault: TeamVault;

  constructor(vault: TeamVault) {
    this.#vault = vault;
  }

  async read(key: string): ReturnType<GrantStore['read']> {
    return parseAuthorization(await this.#vault.read(grantVaultKey(key))) ?? {};
  }

  async update(key: string, change: Parameters<GrantStore['update']>[1]): ReturnType<GrantStore['update']> {
    const text = await this.#vault.update(grantVaultKey(key), async (before) => {
      const stored = parseAuthorization(before) ?? {};
      const next = await change(stored);
      return next === stored ? before : serializeAuthorization(next);
    });
    return parseAuthorization(text) ?? {};
  }

  async take(key: string): ReturnType<GrantStore['take']> {
    const text = await this.#vault.take(grantVaultKey(key)).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'secret_locked') return 'locked';
      throw error;
    });
    return text === undefined ? {} : parseAuthorization(text);
  }
}
