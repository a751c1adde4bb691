/**
 * Who is calling, as the door that let them in knows it, and what is theirs. Whatever is looked up by an id is held
 * against it at every use: an id alone is no authority, and a name that a client gives itself over HTTP is none either.
 */

/** Credential presented to a listener. */
export type Credential =
  /** The user's own socket, or the pipe of a core of its own: an app there is who it says it is. */
  | { readonly kind: 'own line' }
  /** An app's own token, over HTTP. */
  | { readonly kind: 'app token'; readonly app: string }
  /** A token of a profile, over HTTP. */
  | { readonly kind: 'profile token'; readonly id: string }
  /** A user's own: `token` names what they came by, the same for all that one program does. */
  | { readonly kind: 'person token'; readonly user: string; readonly token: string }
  /** Tooltray's own token, over HTTP: the same for every program, so that only a session distinguishes them. */
  | { readonly kind: 'shared token' };

/** Identity of an accepted connection. */
export interface AuthInfo {
  readonly credential: Credential;
  /** Id of its session, also for a later core; undefined: its id in this core. */
  readonly session?: string | undefined;
}

/** Made once for a session, and never changed. */
export interface Principal {
  /** The user of the installation. Contains no `/`. */
  readonly user: string;
  /** The app, where its door vouches for it. */
  readonly app: string | undefined;
  /** The session; undefined if each request is one (2026-07-28 over HTTP). */
  readonly session: string | undefined;
  /**
   * Owner of data that outlives a request: the same for all that one app does or, if the app is unknown, for one
   * session.
   */
  readonly owner: string;
  /**
   * Programs that cannot be distinguished may share `owner`: a later request accesses data only by an id that it alone
   * received.
   */
  readonly isShared: boolean;
}

/** A user of an installation. */
export type Person = Pick<Principal, 'user'>;

/** The one user of a desktop. The IDs of all other users are longer. */
const desktopUser = 'person';

/** The client app by which the record knows what the user does by hand: runs of tools, and decisions. */
export const userApp = 'You';

/** The user themselves, at the dashboard or the command line: all of their apps' things are theirs. */
export const localUser: Principal = {
  user: desktopUser,
  app: undefined,
  session: undefined,
  owner: `${desktopUser}/`,
  isShared: false,
};

/** `app`: what the client calls itself, where it does; `session`: its id, undefined if each request is one. */
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

/** Who did it, for what is on record; undefined on a desktop. */
export function recordedUser({ user }: Pick<Principal, 'user'>): string | undefined {
  return user === desktopUser ? undefined : user;
}

/** Whether something of `owner` is this caller's to use; what has none is the user's alone. */
export function canAccess(principal: Pick<Principal, 'owner'>, owner: string): boolean {
  return owner === principal.owner || principal.owner === localUser.owner;
}

/** Whether the owner is a user as a whole: the owner of each of their apps starts with this text. */
export function isWholeUser({ owner }: Pick<Principal, 'owner'>): boolean {
  return /^[^/]+\/$/.test(owner);
}

function appOf(credential: Credential, named: string | undefined): string | undefined {
  if (credential.kind === 'app token') return credential.app;
  return credential.kind === 'own line' ? named : undefined;
}

/** Whether it identifies one program by itself. */
function isOnesOwn({ kind }: Credential): boolean {
  return kind === 'profile token' || kind === 'person token';
}

/** Fields that may hold any character come last, so that no two owners can look alike. */
function ownerFor(credential: Credential, app: string | undefined, session: string | undefined): string {
  if (app !== undefined) return `app/${app}`;
  if (credential.kind === 'profile token') return `token/${credential.id}`;
  if (credential.kind === 'person token') return `token/${credential.token}`;
  return session === undefined ? 'anyone' : `session/${session}`;
}
