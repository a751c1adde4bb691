/**
 * Identifies the caller as authenticated by the listener, and what belongs to the caller. Every lookup by id checks
 * the owner: neither an id nor a name that a client gives itself over HTTP grants access.
 */

/** Credential presented to a listener. */
export type Credential =
  /** The user's own socket or pipe, where an app's name is trusted. */
  | { readonly kind: 'own line' }
  /** An app's own token over HTTP. */
  | { readonly kind: 'app token'; readonly app: string }
  /** A profile's token over HTTP. */
  | { readonly kind: 'profile token'; readonly id: string }
  /** A user's own credential; `token` identifies it, the same for everything that one program does. */
  | { readonly kind: 'person token'; readonly user: string; readonly token: string }
  /** Tooltray's own token over HTTP, the same for every program, so that only the session distinguishes them. */
  | { readonly kind: 'shared token' };

/** Identity of an accepted connection. */
export interface AuthInfo {
  readonly credential: Credential;
  /** Id of its session, also for a later core; undefined: its id in this core. */
  readonly session?: string | undefined;
}

/** Created once per session, and never changed. */
export interface Principal {
  /** The user of the installation. Contains no `/`. */
  readonly user: string;
  /** The app, if the listener vouches for it. */
  readonly app: string | undefined;
  /** The session; undefined if each request is one (2026-07-28 over HTTP). */
  readonly session: string | undefined;
  /** Owner of data that outlives a request: per app or, if the app is unknown, per session. */
  readonly owner: string;
  /**
   * Whether indistinguishable programs may share `owner`: a later request then accesses data only by an id that only
   * it received.
   */
  readonly isShared: boolean;
}

/** A user of an installation. */
export type Person = Pick<Principal, 'user'>;

/** The only user of a desktop. The ids of other users are longer. */
const desktopUser = 'person';

/** The app name under which the user's own actions are recorded: runs of tools, and decisions. */
export const userApp = 'You';

/** The user at the dashboard or the command line, who owns everything of their apps. */
export const localUser: Principal = {
  user: desktopUser,
  app: undefined,
  session: undefined,
  owner: `${desktopUser}/`,
  isShared: false,
};

/** `app`: the client's own name, if stated; `session`: its id, undefined if each request is one. */
export function principalOf(credential: Credential, app: string | undefined, session: string | undefined): Principal {
  const known = appOf(credential, app);
  const isShared = known === undefined && session === undefined && !isOnesOwn(credential);
  const user = credential.kind === 'person token' ? credential.user : desktopUser;
  return Object.freeze({
    user,
    app: known,
    session,
    owner: `${user}/${ownerFor(credential, known, session)}`.toWellFormed(),
    isShared,
  });
}

/** The user for records; undefined on a desktop. */
export function recordedUser({ user }: Pick<Principal, 'user'>): string | undefined {
  return user === desktopUser ? undefined : user;
}

/** Whether the caller may use something of `owner`; without an owner it belongs to the user alone. */
export function canAccess(principal: Pick<Principal, 'owner'>, owner: string): boolean {
  return owner === principal.owner || principal.owner === localUser.owner;
}

/** Whether the owner is a whole user: the owner of each of their apps begins with this text. */
export function isWholeUser({ owner }: Pick<Principal, 'owner'>): boolean {
  return /^[^/]+\/$/.test(owner);
}

function appOf(credential: Credential, named: string | undefined): string | undefined {
  if (credential.kind === 'app token') return credential.app;
  return credential.kind === 'own line' ? named : undefined;
}

/** Whether the credential identifies a single program. */
function isOnesOwn({ kind }: Credential): boolean {
  return kind === 'profile token' || kind === 'person token';
}

/** Fields that may contain any character come last, so that no two owners are equal. */
function ownerFor(credential: Credential, app: string | undefined, session: string | undefined): string {
  if (app !== undefined) return `app/${app}`;
  if (credential.kind === 'profile token') return `token/${credential.id}`;
  if (credential.kind === 'person token') return `token/${credential.token}`;
  return session === undefined ? 'anyone' : `session/${session}`;
}
