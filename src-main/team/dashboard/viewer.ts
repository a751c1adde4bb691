/** The signed-in user of a team's dashboard, and what they may see. */
import type { Principal } from '../../core/edition.ts';
import type { RowScope } from '../activity/call-conditions.ts';
import type { UserStore, Role } from '../users/user-store.ts';

export interface Viewer {
  /** ID of the user. */
  readonly user: string;
  readonly name: string;
  readonly role: Role;
  readonly groups: readonly string[];
  /** Access from the user's groups (`grantOf`). */
  readonly grant: string;
}

export function isAdmin({ role }: Pick<Viewer, 'role'>): boolean {
  return role === 'admin';
}

/** Owner of the activity rows that the viewer may see. */
export function rowsOf(viewer: Viewer): RowScope {
  return isAdmin(viewer) ? 'everybody' : { person: viewer.user };
}

/**
 * Rows of one user, by name; undefined: all that the viewer may see. A member who names another user gets no rows,
 * whether that user exists or not. Rejects with AppError `not_found` for an admin who names an unknown user,
 * `store_unreachable`.
 */
export async function rowScopeOf(
  viewer: Viewer,
  person: string | undefined,
  people: Pick<UserStore, 'byName'>,
): Promise<RowScope> {
  if (person === undefined) return rowsOf(viewer);
  if (person === viewer.name) return { person: viewer.user };
  return { person: isAdmin(viewer) ? (await people.byName(person)).id : '' };
}

/** Spills of the user, created by any of their client apps. Not even an admin may read those of other users. */
export function readerOf({ user }: Viewer): Principal {
  const owner = `${user}/`;
  return { user, app: undefined, session: undefined, owner, isShared: false };
}
