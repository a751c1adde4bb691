/** Team changes from the command line, recorded in its audit log as the operator's. */
import { userInfo } from 'node:os';
import { MemoryJsonDocument } from '../core/base/json-document.ts';
import { AppError } from '../core/base/errors.ts';
import { createLog } from '../core/base/log.ts';
import { Masker } from '../core/base/mask.ts';
import type { TeamAdmin } from '../team/admin/team-admin.ts';
import type { Database } from '../team/database/database.ts';
import type { TeamKeys } from '../team/documents/team-keys.ts';
import { withTeamDatabase } from './team-database.ts';

export interface AdminCommand {
  readonly admin: TeamAdmin;
  readonly sql: Database['sql'];
  readonly keys: TeamKeys;
}

/**
 * Connects to the team's database while `work` runs. Rejects with AppError as `withTeamDatabase` does, `secret_locked`
 * without the team keys, which sign the audit log, and `store_unreachable` if a change could not be recorded.
 */
export async function withTeamAdmin(
  url: string | undefined,
  work: (command: AdminCommand) => Promise<void>,
): Promise<void> {
  await withTeamDatabase(url, async (sql) => {
    const { TeamAdmin: Admin } = await import('../team/admin/team-admin.ts');
    const { AuditTable } = await import('../team/audit/audit-table.ts');
    const { TeamAuditWriter } = await import('../team/audit/audit-writer.ts');
    const { TeamKeys: Keys } = await import('../team/documents/team-keys.ts');
    const { AccessTokenStore } = await import('../team/users/access-tokens.ts');
    const { UserStore } = await import('../team/users/user-store.ts');
    const keys = Keys.fromEnv(process.env);
    const audit = new TeamAuditWriter({
      rows: new AuditTable(sql),
      keys: keys.audit(),
      seen: new MemoryJsonDocument(),
      masker: new Masker(),
      log: createLog(),
      now: Date.now,
    });
    const actor = { name: operatorName(), place: 'command line' } as const;
    const admin = new Admin({ people: new UserStore(sql), tokens: new AccessTokenStore(sql), audit, actor });
    try {
      await work({ admin, sql, keys });
      if (!(await audit.flush()))
        throw new AppError('store_unreachable', 'The change was made, but could not be recorded in the audit log.', {
          fix: 'Check the database, then run the command again.',
        });
    } finally {
      await audit.close();
    }
  });
}

/** The operating system's user. A container may have an ID without a name. */
function operatorName(): string {
  try {
    return `operator ${userInfo().username}`;
  } catch {
    return `operator ${process.getuid?.() ?? 'unknown'}`;
  }
}
