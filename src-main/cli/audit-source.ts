/** Location of the audit that a command reads: this home's files, or a team's database. */
import { join } from 'node:path';
import { openVault } from '../core/secrets/vault.ts';
import type { AuditLog } from '../core/trust/audit/audit-log.ts';
import { AuditKeys } from '../core/trust/audit/audit-keys.ts';
import { FileAuditLog } from '../core/trust/audit/audit-segments.ts';
import { cliPaths } from './cli-config.ts';
import { findRunningCore, warnOfStores } from './core-access.ts';
import { databaseUrl } from './team-database.ts';

export interface AuditSource extends AsyncDisposable {
  readonly log: AuditLog;
  /** How the findings of a verification name the current key. */
  readonly keyName: string;
  /** undefined: there are none. Rejects with AppError `secret_locked`. */
  keys(): Promise<AuditKeys | undefined>;
  /** Further public keys that may sign. */
  otherKeys?(): readonly string[];
  /** Flushes buffered records to the log. */
  settle(): Promise<void>;
}

/** `isTeam`: reads the team's database. */
export async function openAuditSource(isTeam: boolean, database: string | undefined): Promise<AuditSource> {
  return isTeam ? teamPlace(databaseUrl(database)) : homePlace();
}

function homePlace(): AuditSource {
  const folder = join(cliPaths().dataDir, 'audit');
  return {
    log: new FileAuditLog(folder),
    keyName: 'the key of this home',
    keys: () => AuditKeys.inVault(openVault(cliPaths().dataDir, process.env)),
    settle,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A running core flushes its buffer; without one there is nothing to flush. */
async function settle(): Promise<void> {
  const core = await findRunningCore();
  if (core === undefined) return;
  await core.ask('auditEntries', { limit: 1 });
  await warnOfStores(core, 'audit');
  await core.close();
}

async function teamPlace(url: string): Promise<AuditSource> {
  const { Database } = await import('../team/database/database.ts');
  const { AuditTable } = await import('../team/audit/audit-table.ts');
  const { TeamKeys } = await import('../team/documents/team-keys.ts');
  const database = new Database({ url, most: 2, name: 'tooltray audit' });
  return {
    log: new AuditTable(database.sql),
    keyName: 'the first team key',
    keys: () => Promise.resolve(TeamKeys.fromEnv(process.env).audit()),
    otherKeys: () => TeamKeys.fromEnv(process.env).otherAuditKeys(),
    // Replicas write within a second.
    settle: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
