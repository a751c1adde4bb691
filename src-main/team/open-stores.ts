/** What a replica keeps in the team's database, for the core that it runs: each store is made in its own room of `team/`. */
import type { CoreStores } from '../core/core-stores.ts';
import type { TeamRoom } from '../host/team-seams.ts';
import type { Changes } from './database/changes.ts';
import type { Database } from './database/database.ts';

export interface StoreRoom extends TeamRoom {
  readonly tenant: string;
  /** Bound to the tenant. */
  readonly sql: ReturnType<Database['of']>;
  readonly database: Database;
  /** Tells of what other replicas changed, and has been started. */
  readonly changes: Changes;
}

export interface OpenStores {
  readonly stores: Partial<CoreStores>;
  /** Called when the core has ended. */
  readonly close: () => Promise<void>;
}

/** Rejects with AppError store_unreachable. */
export function openStores(_room: StoreRoom): Promise<OpenStores> {
  return Promise.resolve({ stores: {}, close: () => Promise.resolve() });
}
