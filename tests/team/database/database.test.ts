import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../scripts/team/engines/postgres.ts';
import { ChangeFeed, notifyChange, type Change } from '../../../src-main/team/database/change-feed.ts';
import { connect, Database, databaseError } from '../../../src-main/team/database/database.ts';
import { migrate, requireSchema } from '../../../src-main/team/database/migrate.ts';
import { type Step, steps } from '../../../src-main/team/database/schema.ts';
import { asReplica } from '../../support/team-cluster.ts';
import { teamDatabase } from '../../support/team-database.ts';

const silent = { warn: () => undefined };

function open(url: string): Database {
  const database = new Database({ url, most: 2 });
  onTestFinished(() => database.close());
  return database;
}

const notes: Step = {
  name: 'notes',
  sql: 'CREATE TABLE tooltray.notes (text text NOT NULL)',
  isAdditive: true,
};
const renamed: Step = { name: 'renamed', sql: 'ALTER TABLE tooltray.users RENAME email TO mail', isAdditive: false };

test('applies every migration once, also in concurrent runs', async () => {
  const url = await teamDatabase({ isEmpty: true });
  await expect(requireSchema(open(url).sql)).rejects.toMatchObject({
    code: 'unsupported',
    fix: expect.stringContaining('tooltray team migrate') as string,
  });
  const both = await Promise.all([migrate(url), migrate(url)]);
  expect(both.map((one) => one.steps.length).toSorted()).toEqual([0, steps.length]);
  await requireSchema(open(url).sql);
  expect(await migrate(url)).toEqual({ from: steps.length, to: steps.length, steps: [] });
});

test('does not apply a failing migration, and keeps those before it', async () => {
  const url = await teamDatabase();
  const sql = 'CREATE TABLE tooltray.other (a int); SELECT 1 / 0';
  const bad: Step = { name: 'bad', sql, isAdditive: true };
  await expect(migrate(url, [...steps, notes, bad])).rejects.toThrow('division by zero');
  await requireSchema(open(url).sql);
  expect(await migrate(url, [...steps, notes])).toMatchObject({ to: steps.length + 1, steps: [] });
});

test('accepts a newer schema with additive migrations only, and rejects any other', async () => {
  const url = await teamDatabase();
  await migrate(url, [...steps, notes]);
  await requireSchema(open(url).sql);
  expect(await migrate(url)).toEqual({ from: steps.length + 1, to: steps.length + 1, steps: [] });
  await migrate(url, [...steps, notes, renamed]);
  for (const work of [(): Promise<unknown> => migrate(url), () => requireSchema(open(url).sql)])
    await expect(work()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('newer') as string,
    });
});

test('an online migration builds an index outside a transaction', async () => {
  const url = await teamDatabase();
  const sql = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS users_made ON tooltray.users (created_at)';
  const online: Step = { name: 'online', sql, isAdditive: true, isOnline: true };
  expect(await migrate(url, [...steps, online])).toMatchObject({ steps: ['online'] });
});

test('a migration that waits too long for a lock fails instead of blocking later calls', async () => {
  const url = await teamDatabase();
  const user = connect({ url, most: 1 });
  onTestFinished(() => user.end());
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = user.begin(async (work) => {
    await work`SELECT count(*) FROM tooltray.users`;
    held.resolve();
    await released.promise;
  });
  await held.promise;
  await expect(migrate(url, [...steps, renamed])).rejects.toMatchObject({ code: '55P03' });
  released.resolve();
  await holding;
  expect(await migrate(url, [...steps, renamed])).toMatchObject({ steps: ['renamed'] });
}, 30_000);

test('a replica’s login cannot change the schema, its migrations, or audit records', async () => {
  const url = await teamDatabase();
  const { sql } = open(asReplica(url));
  await requireSchema(sql);
  const forbidden = [
    'DELETE FROM tooltray.migrations',
    'CREATE TABLE tooltray.mine (a int)',
    'ALTER TABLE tooltray.users ADD mine int',
    'DROP TABLE tooltray.calls',
    "UPDATE tooltray.audit SET line = ''",
    'DELETE FROM tooltray.audit',
    'TRUNCATE tooltray.audit',
    'DELETE FROM tooltray.audit_heads',
    'SELECT * FROM tooltray_parts.audit_other',
    'CREATE ROLE mine',
  ];
  for (const statement of forbidden)
    await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
});

test('notifies every replica of a change, also of those missed during a lost connection', async () => {
  const url = await teamDatabase();
  const database = open(url);
  await notifyChange(database.sql, 'config');
  const heard: Change[] = [];
  const changes = new ChangeFeed(open(url).sql, silent);
  changes.changed.on((change) => heard.push(change));
  await changes.start();
  onTestFinished(() => changes.stop());
  // Earlier versions are known from its first read.
  expect(heard).toEqual([]);
  await notifyChange(database.sql, 'config');
  await expect.poll(() => heard).toEqual([{ topic: 'config', version: 2 }]);

  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  const lost = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen %' AND datname = current_database()`;
  await owner.begin(async (work) => {
    await notifyChange(work, 'lists');
    await work.unsafe(lost);
  });
  await expect.poll(() => heard.slice(1)).toEqual([{ topic: 'lists', version: 1 }]);
});

test('reports an unreachable database as store_unreachable, and passes its errors through', async () => {
  const database = open('postgres://tooltray@127.0.0.1:9/none');
  const error = await database.sql`SELECT 1`.then(() => undefined, databaseError);
  expect(error).toMatchObject({ code: 'store_unreachable' });
  expect(() => new Database({ url: 'mysql://user:pass@host/name' })).toThrow('not a PostgreSQL URL');
  const refused = await open(await teamDatabase()).sql`SELEC`.then(() => undefined, databaseError);
  expect(refused).toMatchObject({ code: '42601' });
});

test('notifies existing listeners soon after a database outage', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tooltray-away-'));
  await chmod(folder, 0o711);
  const cluster = await startPostgres({ folder: join(folder, 'postgres') });
  onTestFinished(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });
  await migrate(cluster.url);
  const [listener, writer] = [open(cluster.url), open(cluster.url)];
  const heard: Change[] = [];
  const changes = new ChangeFeed(listener.sql, silent);
  changes.changed.on((change) => heard.push(change));
  await changes.start();
  await cluster.stop();
  // Long enough that a doubling wait would be the longest one.
  for (let tries = 0; tries < 4; tries++) await expect(listener.sql`SELECT 1`).rejects.toThrow('ECONNREFUSED');
  await cluster.start();
  await notifyChange(writer.sql, 'config');
  // The client's own wait would be ten seconds or more by now.
  await expect.poll(() => heard, { timeout: 9_000 }).toEqual([{ topic: 'config', version: 1 }]);
});
