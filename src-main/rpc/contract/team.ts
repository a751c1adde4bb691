/** Requests of a team's users about each other, their tokens, and their sign-ins. Refused where there is one user. */
import { z } from 'zod';
import type { ServerStatus } from './servers.ts';
import { count, flag, id, maybe, name, nothing, type Methods, type Nothing } from './fields.ts';

/** User-specific data of a team's dashboard: an admin sees everybody's rows, a member their own. */
export interface TeamFacts {
  readonly user: string;
  readonly role: 'admin' | 'member';
}

export interface UserRow {
  readonly name: string;
  readonly email: string;
  readonly role: 'admin' | 'member';
  /** A program's account. */
  readonly isService: boolean;
  readonly groups: readonly string[];
  /** Lets nobody in. */
  readonly isSuspended: boolean;
  /** In force. */
  readonly tokens: number;
}

export interface AccessTokenRow {
  readonly id: string;
  readonly user: string;
  readonly label: string;
  /** It is bounded by that one; empty: by none. */
  readonly profile: string;
  readonly readOnly: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | undefined;
  readonly state: 'active' | 'expired' | 'revoked';
}

/** A server at an address, and whether whoever looks is signed in to it. */
export interface UserSignInRow {
  readonly server: string;
  readonly isSignedIn: boolean;
  /** Its entry lets users sign in themselves; whether it asks anybody to is the server's. */
  readonly maySignIn: boolean;
  /** Account and host; empty if unknown. */
  readonly account: string;
  readonly at: string;
  readonly since: number | undefined;
}

/** A value of each user's own that a server's entry names, `${user:NAME}`. An admin keeps it, by a command. */
export interface UserSecretRow {
  readonly server: string;
  readonly name: string;
  /** Whoever looks has one. */
  readonly isStored: boolean;
}

/** A server at one replica of a team. */
export interface ReplicaStatus extends Pick<ServerStatus, 'state' | 'level' | 'summary' | 'detail' | 'tools'> {
  readonly id: string;
  readonly name: string;
  /** In ms since 1970; 0: not known. */
  readonly since: number;
}

/** A server over all replicas of a team. */
export interface ServerStatusByReplica {
  /** Replicas by name; empty if there is only one. */
  readonly replicas: readonly ReplicaStatus[];
  /** Runners of the users' own processes of it. */
  readonly runners: readonly { readonly name: string; readonly users: number }[];
}

/** Schemas of the inputs. */
export const teamInputs = {
  serverStatus: z.object({ server: name }),
  ownSignIns: nothing,
  users: nothing,
  setUserSuspended: z.object({ name, isSuspended: flag }),
  accessTokens: z.object({ everybody: maybe(flag) }),
  createAccessToken: z.object({ label: z.string().max(200), expiresAt: count, readOnly: maybe(flag) }),
  revokeAccessToken: z.object({ id }),
};

interface TeamOutputs {
  /** For admins; next to it where it runs, and why there. */
  serverStatus: ServerStatusByReplica & {
    readonly placement: 'remote' | 'shared' | 'per-user';
    readonly reason: string;
  };
  /** One's own, nobody else's, an admin's neither. `signIn` and `signOut` are one's own as well. */
  ownSignIns: { readonly signIns: readonly UserSignInRow[]; readonly values: readonly UserSecretRow[] };
  users: { readonly users: readonly UserRow[] };
  /** Off, nothing of theirs opens anything, at once and on every replica. Nobody switches themselves off. */
  setUserSuspended: Nothing;
  /** One's own; `everybody`: all, for admins. The newest first. */
  accessTokens: { readonly tokens: readonly AccessTokenRow[] };
  /** One of one's own, within a year; the token is told in this answer alone. */
  createAccessToken: AccessTokenRow & { readonly token: string };
  /** One's own, or anybody's for admins. */
  revokeAccessToken: AccessTokenRow;
}

export type TeamMethods = Methods<typeof teamInputs, TeamOutputs>;
