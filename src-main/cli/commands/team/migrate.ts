/** `tooltray team migrate`: migrates a team's database to this version's schema, as the database's owner. */
import { formatCount } from '../../../core/base/text-format.ts';
import { command, databaseFlag, jsonFlag } from '../../command.ts';
import { databaseUrl } from '../../team-database.ts';
import { printResult } from '../../terminal.ts';

export const migrateDatabase = command({
  flags: { database: databaseFlag, json: jsonFlag },
  notes: ['Migrations cannot be reverted; back up first. Safe to run concurrently and with replicas online.'],
  async run({ database, json }) {
    const url = databaseUrl(database);
    const { migrate } = await import('../../../team/database/migrate.ts');
    const { from, to, steps } = await migrate(url);
    printResult(json, { from, to, steps }, () => [
      steps.length === 0
        ? `Database is up to date (migration ${to}).`
        : `${formatCount(steps.length, 'step')} taken, from ${from} to ${to}: ${steps.join(', ')}.`,
    ]);
    return 0;
  },
});
