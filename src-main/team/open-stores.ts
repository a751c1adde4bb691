/** What a replica keeps in the team's database, for the core that it runs: each store is made in its own room of `team/`. */
import type { CoreStores } from '../core/core-stores.ts';
import type { TeamRoom } from '../host/team-seams.ts';
import { AuditRows } from './audit/audit-rows.ts';
import { TeamAudit } from './audit/team-audit.ts';
import type { Changes } from './database/changes.ts';
import type { Database } from './database/database.ts';
import { DocumentRows } from './records/document-rows.ts';
import type { TeamKeys } from './records/team-keys.ts';
import { TenantRecords } from './records/tenant-records.ts';

export interface StoreRoom extends TeamRoom {
  readonly tenant: string;
  /** Bound to the tenant. */
  readonly sql: ReturnType<Database['of']>;
  readonly database: Database;
  /** Tells of what other replicas changed, and has been started. */
  readonly changes: Changes;
  readonly keys: TeamKeys;
}

export interface OpenStores {
  readonly stores: Partial<CoreStores>;
  /** Called when the core has ended. */
  readonly close: () => Promise<void>;
}

/** Rejects with AppError store_unreachable, or secret_locked where its keys are not the team's. */
export async function openStores({ tenant, sql, changes, keys, log }: StoreRoom): Promise<OpenStores> {
  const rows = new DocumentRows(sql, keys.sealing(tenant, 'documents'));
  const records = new TenantRecords({ tenant, rows, changes, log: log.child('records') });
  const [stores, seen] = await Promise.all([records.stores(), records.document('audit-seen')]);
  const auditRows = new AuditRows(sql, tenant);
  const audit: CoreStores['audit'] = (parts) =>
    new TeamAudit({ ...parts, rows: auditRows, keys: keys.audit(tenant), seen, now: Date.now });
  return { stores: { ...stores, audit }, close: () => records.close() };
}
