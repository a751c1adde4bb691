/** `tooltray team migrate`: migrates a team's database to this version's schema, as the database's owner. */
import { formatCount } from '../../../core/base/text-format.ts';
import { command, databaseFlag, jsonFlag } from '../../command.ts';
import { withTeamAdmin } from '../../team-admin.ts';
import { databaseUrl } from '../../team-database.ts';
import { printResult } from '../../terminal.ts';

export const migrateDatabase = command({
  flags: { database: databaseFlag, json: jsonFlag },
  notes: [
    'Needs the team keys (TOOLTRAY_TEAM_KEYS_FILE or TOOLTRAY_TEAM_KEYS), which sign the audit log.',
    'Migrations cannot be reverted; back up first. Safe to run concurrently and with replicas online.',
  ],
  async run({ database, json }) {
    const url = databaseUrl(database);
    const { migrate } = await import('../../../team/database/migrate.ts');
    const { TeamKeys } = await import('../../../team/documents/team-keys.ts');
    // The migration is recorded in the audit log, which the team keys sign.
    TeamKeys.fromEnv(process.env);
    const { from, to, steps } = await migrate(url);
    if (steps.length > 0) await withTeamAdmin(url, ({ admin }) => admin.recordMigration(from, to));
    printResult(json, { from, to, steps }, () => [
      steps.length === 0
        ? `Database is up to date (migration ${to}).`
        : `${formatCount(steps.length, 'step')} taken, from ${from} to ${to}: ${steps.join(', ')}.`,
    ]);
    return 0;
  },
});
