import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../scripts/team/engines/postgres.ts';
import { Changes, announce, type Change } from '../../../src-main/team/database/changes.ts';
import { connect, Database, databaseError } from '../../../src-main/team/database/database.ts';
import { migrate, requireSchema } from '../../../src-main/team/database/migrate.ts';
import { migrations, ofTenant } from '../../../src-main/team/database/migrations.ts';
import { teamDatabase } from '../../support/team-database.ts';

const silent = { warn: () => undefined };

function open(url: string): Database {
  const database = new Database({ url, most: 2 });
  onTestFinished(() => database.close());
  return database;
}

const notes = {
  name: 'notes',
  sql: `CREATE TABLE tooltray.notes (tenant text NOT NULL, text text NOT NULL); ${ofTenant('notes')}`,
};

test('every step is taken once, also by two that migrate at the same time', async () => {
  const url = await teamDatabase({ isEmpty: true });
  await expect(requireSchema(open(url).shared)).rejects.toMatchObject({
    code: 'unsupported',
    fix: expect.stringContaining('tooltray migrate') as string,
  });
  const both = await Promise.all([migrate(url), migrate(url)]);
  expect(both.map(({ steps }) => steps.length).toSorted()).toEqual([0, migrations.length]);
  await requireSchema(open(url).shared);
  expect(await migrate(url)).toEqual({ from: migrations.length, to: migrations.length, steps: [] });
});

test('a step that fails leaves the schema as it was', async () => {
  const url = await teamDatabase();
  const bad = [...migrations, notes, { name: 'bad', sql: 'CREATE TABLE tooltray.other (a int); SELECT 1 / 0' }];
  await expect(migrate(url, bad)).rejects.toThrow('division by zero');
  await requireSchema(open(url).shared);
});

test('a schema of a newer version is refused, by who migrates and by who starts', async () => {
  const url = await teamDatabase();
  await migrate(url, [...migrations, notes]);
  const both = [(): Promise<unknown> => migrate(url), () => requireSchema(open(url).shared)];
  for (const work of both)
    await expect(work()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('newer') as string,
    });
});

test('without any filter a tenant sees and writes its own rows alone', async () => {
  const url = await teamDatabase();
  await migrate(url, [...migrations, notes]);
  const database = open(url);
  const [a, b] = [database.of('a'), database.of('b')];
  await a`INSERT INTO tooltray.notes VALUES ('a', 'of a')`;
  await b`INSERT INTO tooltray.notes VALUES ('b', 'of b')`;
  expect(await a`SELECT text FROM tooltray.notes`).toEqual([{ text: 'of a' }]);
  await expect(a`INSERT INTO tooltray.notes VALUES ('b', 'forged')`).rejects.toMatchObject({ code: '42501' });
  expect((await a`UPDATE tooltray.notes SET text = 'mine'`).count).toBe(1);
  expect((await b`DELETE FROM tooltray.notes WHERE tenant = 'a'`).count).toBe(0);
  // Where no tenant is set, nothing is shown and nothing assumed.
  await expect(database.shared`SELECT * FROM tooltray.notes`).rejects.toThrow('tooltray.tenant');
  // No replica takes steps of the schema, or calls them taken.
  await expect(a`DELETE FROM tooltray.migrations`).rejects.toMatchObject({ code: '42501' });
  await expect(a`CREATE TABLE tooltray.mine (a int)`).rejects.toMatchObject({ code: '42501' });
});

test('a change reaches every replica, also what came while its connection was lost', async () => {
  const url = await teamDatabase();
  const database = open(url);
  await announce(database.of('a'), 'a', 'config');
  const heard: Change[] = [];
  const changes = new Changes(open(url).shared, silent);
  changes.changed.on((change) => heard.push(change));
  await changes.start();
  onTestFinished(() => changes.stop());
  // What stood there before is what it has read itself.
  expect(heard).toEqual([]);
  await announce(database.of('a'), 'a', 'config');
  await expect.poll(() => heard).toEqual([{ tenant: 'a', topic: 'config', version: 2 }]);

  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  const lost = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen %' AND datname = current_database()`;
  await owner.begin(async (work) => {
    await announce(work, 'b', 'lists');
    await work.unsafe(lost);
  });
  await expect.poll(() => heard.slice(1)).toEqual([{ tenant: 'b', topic: 'lists', version: 1 }]);
});

test('a database that cannot be reached is said in our words; what it refuses stays as it is', async () => {
  const database = open('postgres://tooltray@127.0.0.1:9/none');
  const error = await database.shared`SELECT 1`.then(() => undefined, databaseError);
  expect(error).toMatchObject({ code: 'store_unreachable' });
  expect(() => new Database({ url: 'mysql://user:pass@host/name' })).toThrow('not one of PostgreSQL');
  const refused = await open(await teamDatabase()).shared`SELEC`.then(() => undefined, databaseError);
  expect(refused).toMatchObject({ code: '42601' });
});

test('a change is heard soon after the database was away, by who listened before', async () => {
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
  const changes = new Changes(listener.shared, silent);
  changes.changed.on((change) => heard.push(change));
  await changes.start();
  await cluster.stop();
  // Long enough that a wait which doubled each time would be the longest one.
  for (let tries = 0; tries < 4; tries++) await expect(listener.shared`SELECT 1`).rejects.toThrow('ECONNREFUSED');
  await cluster.start();
  await announce(writer.of('a'), 'a', 'config');
  // The client's own wait would be ten seconds or more by now.
  await expect.poll(() => heard, { timeout: 9_000 }).toEqual([{ tenant: 'a', topic: 'config', version: 1 }]);
});
