/** Team-only requests about users, their tokens, and their sign-ins. Refused for a single user. */
import { z } from 'zod';
import type { ServerStatus } from './servers.ts';
import { count, flag, id, maybe, name, nothing, type Methods, type Nothing } from './fields.ts';

/** User-specific data of the team dashboard: admins see everyone's rows, members their own. */
export interface TeamFacts {
  readonly user: string;
  readonly role: 'admin' | 'member';
}

export interface UserRow {
  readonly name: string;
  readonly email: string;
  readonly role: 'admin' | 'member';
  /** A service account. */
  readonly isService: boolean;
  readonly groups: readonly string[];
  /** All access is suspended. */
  readonly isSuspended: boolean;
  /** Number of active tokens. */
  readonly tokens: number;
}

export interface AccessTokenRow {
  readonly id: string;
  readonly user: string;
  readonly label: string;
  /** The profile that restricts the user; empty: none. */
  readonly profile: string;
  readonly readOnly: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | undefined;
  readonly state: 'active' | 'expired' | 'revoked';
}

/** A remote server, and whether the current user is signed in to it. */
export interface UserSignInRow {
  readonly server: string;
  readonly isSignedIn: boolean;
  /** Its entry allows user sign-in; the server decides whether it requires one. */
  readonly maySignIn: boolean;
  /** Account and host; empty if unknown. */
  readonly account: string;
  readonly at: string;
  readonly since: number | undefined;
}

/** A per-user value referenced by a server's entry as `${user:NAME}`. An admin stores it with a command. */
export interface UserSecretRow {
  readonly server: string;
  readonly name: string;
  /** Whether the current user has one. */
  readonly isStored: boolean;
}

/** A server on one replica of a team. */
export interface ReplicaStatus extends Pick<ServerStatus, 'state' | 'level' | 'summary' | 'detail' | 'tools'> {
  readonly id: string;
  readonly name: string;
  /** In ms since 1970; 0: unknown. */
  readonly since: number;
}

/** A server's state on all replicas of a team. */
export interface ServerStatusByReplica {
  /** Replicas by name; empty if there is only one. */
  readonly replicas: readonly ReplicaStatus[];
  /** Runners of per-user processes of this server. */
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
  /** Admins only; also where the server is placed, and why. */
  serverStatus: ServerStatusByReplica & {
    readonly placement: 'remote' | 'shared' | 'per-user';
    readonly reason: string;
  };
  /** The current user's own, for admins too. `signIn` and `signOut` likewise. */
  ownSignIns: { readonly signIns: readonly UserSignInRow[]; readonly values: readonly UserSecretRow[] };
  users: { readonly users: readonly UserRow[] };
  /** Suspends a user: all their access ends at once on every replica. Users cannot suspend themselves. */
  setUserSuspended: Nothing;
  /** The current user's tokens; `everybody`: all, for admins. Newest first. */
  accessTokens: { readonly tokens: readonly AccessTokenRow[] };
  /** Creates a token for the current user, valid for at most a year; the token is returned only here. */
  createAccessToken: AccessTokenRow & { readonly token: string };
  /** The current user's token, or any token for admins. */
  revokeAccessToken: AccessTokenRow;
}

export type TeamMethods = Methods<typeof teamInputs, TeamOutputs>;
