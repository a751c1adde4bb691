/** Creates a replica's stores in the team's database, for the core that it runs: each in its own folder of `team/`. */
import type { Env } from '../core/base/app-paths.ts';
import type { CoreStores } from '../core/edition.ts';
import type { TeamHostContext } from '../host/team-host.ts';
import { ActivityRows } from './activity/activity-rows.ts';
import { ActivityShipper } from './activity/activity-shipper.ts';
import { openTeamSpillStore } from './spills/open-spill-store.ts';
import { AuditPush } from './audit/audit-push.ts';
import { AuditTable } from './audit/audit-table.ts';
import { TeamAuditWriter } from './audit/audit-writer.ts';
import type { S3Config } from './spills/s3-config.ts';
import type { ChangeFeed } from './database/change-feed.ts';
import type { Database } from './database/database.ts';
import { maintainPartitions } from './database/partitions.ts';
import { DocumentTable } from './documents/document-table.ts';
import type { TeamKeys } from './documents/team-keys.ts';
import { TeamDocuments } from './documents/team-documents.ts';
import { TeamVaults } from './secrets/team-vault.ts';

export interface StoreDeps extends TeamHostContext {
  readonly sql: Database['sql'];
  readonly database: Database;
  /** Notifies of changes by other replicas; already started. */
  readonly changes: ChangeFeed;
  readonly keys: TeamKeys;
  /** Display name of the replica. */
  readonly replica: string;
  readonly version: string;
  readonly env: Env;
  /** Store for the bytes of spills; undefined: results are not spilled. */
  readonly objects: S3Config | undefined;
}

export interface OpenStores {
  readonly stores: Partial<CoreStores>;
  readonly vaults: TeamVaults;
  /** A user's own secret, by its vault name. Rejects with AppError. */
  readonly readOwn: (user: string, name: string) => Promise<string | undefined>;
  /** Called when the core has ended. */
  readonly close: () => Promise<void>;
}

/** Rejects with AppError `store_unreachable`, or `secret_locked` if its keys are not the team's. */
export async function openStores(deps: StoreDeps): Promise<OpenStores> {
  const { sql, database, changes, env, keys, objects, log, replica, version } = deps;
  const rows = new DocumentTable(sql, keys.encryptionKeys('documents'));
  const records = new TeamDocuments({ rows, changes, log: log.child('records') });
  const [stores, seen] = await Promise.all([records.stores(), records.document('audit-seen')]);
  const auditRows = new AuditTable(sql);
  const audit: CoreStores['audit'] = (parts) =>
    new TeamAuditWriter({
      ...parts,
      rows: auditRows,
      keys: keys.audit(),
      seen,
      now: Date.now,
      push: new AuditPush({
        sinks: () => parts.settings().push,
        stdout: process.stdout,
        env,
        version,
        log: parts.log,
      }),
    });
  const rowsOfRecord = new ActivityRows(sql, replica);
  const record: CoreStores['record'] = {
    // They would be stored on this computer only, for many users, where they could neither be found nor deleted on
    // request.
    keepsTexts: false,
    ship: ({ activity, timeline }) =>
      new ActivityShipper(activity, {
        rows: rowsOfRecord,
        log: log.child('record'),
        changed: [activity.changed, timeline.changed],
      }),
  };
  const vaults = new TeamVaults({ sql, ring: keys.encryptionKeys('secrets'), changes });
  const stopKeeping = maintainPartitions(sql, log);
  const close = async (): Promise<void> => {
    await stopKeeping();
    vaults.close();
    await records.close();
  };
  const spills = openTeamSpillStore({ database, objects });
  const readOwn: OpenStores['readOwn'] = (user, name) => vaults.forUser(user).read(name);
  return {
    stores: { ...stores, audit, vault: () => vaults.organization, record, spills: spills },
    vaults,
    readOwn,
    close,
  };
}
