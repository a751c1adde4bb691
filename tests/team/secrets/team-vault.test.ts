/** A team's vault in a real database: isolation of owners, key rotation, and what the database reveals. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { Emitter } from '../../../src-main/core/base/emitter.ts';
import { connect } from '../../../src-main/team/database/database.ts';
import { TeamVaults } from '../../../src-main/team/secrets/team-vault.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { openVaults, someKey } from './vaults.ts';

const locked = expect.objectContaining({ code: 'secret_locked' }) as Error;

/** Every byte of every row, as seen by a thief of the database. */
async function dumpOf(url: string): Promise<string> {
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  const tables = await owner<{ name: string }[]>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'tooltray'`;
  const rows = await Promise.all(
    tables.map(({ name }) => owner.unsafe(`SELECT t::text AS row FROM tooltray.${name} t`)),
  );
  return JSON.stringify(rows);
}

test('isolates users, and rejects a row moved to another place', async () => {
  const a = await openVaults(await teamDatabase());
  await a.vaults.organization.write('secret/KEY', 'of all of a');
  await a.vaults.forUser('ada').write('secret/KEY', 'of ada');
  expect(await a.vaults.forUser('ada').read('secret/KEY')).toBe('of ada');
  expect(await a.vaults.forUser('bob').read('secret/KEY')).toBeUndefined();
  expect(await a.vaults.owners()).toEqual(['ada']);
  await a.database.sql`
    INSERT INTO tooltray.secrets (owner, name, sealed)
    SELECT 'eve', name, sealed FROM tooltray.secrets WHERE owner = 'ada'`;
  await expect(a.vaults.forUser('eve').read('secret/KEY')).rejects.toEqual(locked);
  await a.database.sql`UPDATE tooltray.secrets SET name = 'secret/OTHER' WHERE owner = 'ada'`;
  await expect(a.vaults.forUser('ada').read('secret/OTHER')).rejects.toEqual(locked);
});

test('adds a user’s secret to the organisation’s masked values before it is returned', async () => {
  const hidden: (readonly string[])[] = [];
  const { vaults } = await openVaults(await teamDatabase());
  vaults.organization.learned.on(() => hidden.push(vaults.organization.values));
  await vaults.forUser('bob').write('secret/KEY', 'of bob');
  expect(hidden.at(-1)).toEqual(['of bob']);
  expect(vaults.forUser('eve').values).toEqual([]);
});

test('stores no value as plain bytes', async () => {
  const url = await teamDatabase();
  const { vaults } = await openVaults(url);
  await vaults.forUser('ada').write('secret/KEY', 'the value of ada');
  const dump = await dumpOf(url);
  expect(dump).toContain('secret/KEY');
  for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const)
    for (const plain of [Buffer.from('the value of ada'), someKey])
      expect(dump).not.toContain(plain.toString(encoding));
});

test('rotates to a new key: adds it, encrypts everything again, and drops the old one', async () => {
  const url = await teamDatabase();
  const next = randomBytes(32);
  const before = await openVaults(url);
  await before.vaults.organization.write('secret/A', 'value A');
  await before.vaults.forUser('ada').write('secret/B', 'value B');
  const both = await openVaults(url, { ring: [next, someKey] });
  expect(await both.vaults.forUser('ada').read('secret/B')).toBe('value B');
  await expect((await openVaults(url, { ring: [next] })).vaults.organization.read('secret/A')).rejects.toEqual(locked);
  expect(await both.vaults.rotate()).toBe(2);
  const after = await openVaults(url, { ring: [next] });
  expect([
    await after.vaults.organization.read('secret/A'),
    await after.vaults.forUser('ada').read('secret/B'),
  ]).toEqual(['value A', 'value B']);
  // A replica that has only the previous key decrypts nothing.
  await expect(before.vaults.organization.read('secret/A')).rejects.toEqual(locked);
  await both.vaults.organization.write('secret/C', 'value C');
  expect(await after.vaults.organization.read('secret/C')).toBe('value C');
  const states = await Promise.all([before, after].map(({ vaults }) => vaults.organization.status()));
  expect(states.map(({ state }) => state)).toEqual(['locked', 'open']);
});

test('loses nothing in a rotation during concurrent writes', async () => {
  const url = await teamDatabase();
  const [one, other] = [await openVaults(url), await openVaults(url)];
  const names = Array.from({ length: 12 }, (_, at) => `secret/N${at}`);
  const writes = names.map((name, at) =>
    (at % 2 === 0 ? one : other).vaults.organization.write(name, `value of ${name}`),
  );
  await Promise.all([...writes, one.vaults.rotate(), other.vaults.rotate()]);
  const third = await openVaults(url);
  expect(await Promise.all(names.map((name) => third.vaults.organization.read(name)))).toEqual(
    names.map((name) => `value of ${name}`),
  );
});

test('serializes changes across replicas, and keeps a value whose connection was lost', async () => {
  const url = await teamDatabase();
  const [one, other] = [await openVaults(url), await openVaults(url)];
  const [here, there] = [one.vaults.forUser('ada'), other.vaults.forUser('ada')];
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  const seen: (string | undefined)[] = [];
  const first = here.update('sign-in/x', async () => {
    seen.push('first');
    await owner`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await expect.poll(() => there.read('sign-in/x').catch(() => 'away')).toBeUndefined();
    return 'one';
  });
  expect(await first).toBe('one');
  await Promise.all([
    here.update('sign-in/x', async (value) => `${value}, two`),
    there.update('sign-in/x', async (value) => `${value}, three`),
  ]);
  expect(await here.read('sign-in/x')).toMatch(/^one, (two, three|three, two)$/);
  expect(seen).toEqual(['first']);
});

test('a change may wait for another one longer than the statement timeout', async () => {
  const url = await teamDatabase();
  const { vaults } = await openVaults(url);
  const [sql, owner] = [connect({ url, most: 2 }, { statement_timeout: 200 }), connect({ url, most: 1 })];
  const hurried = new TeamVaults({ sql, ring: [someKey], changes: { changed: new Emitter() } });
  onTestFinished(async () => {
    hurried.close();
    await Promise.all([sql.end(), owner.end()]);
  });
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = vaults.forUser('ada').update('sign-in/x', async () => {
    begun.resolve();
    await answered.promise;
    return 'one';
  });
  await begun.promise;
  const second = hurried.forUser('ada').update('sign-in/x', async (value) => `${value}, two`);
  const waits = new Set<string>();
  const turns = async (): Promise<number> => {
    const rows = await owner<{ began: string }[]>`
      SELECT query_start::text AS began FROM pg_stat_activity
      WHERE wait_event = 'advisory' AND datname = current_database()`;
    for (const { began } of rows) waits.add(began);
    return waits.size;
  };
  await Promise.race([second, expect.poll(turns).toBeGreaterThan(2)]);
  answered.resolve();
  expect(await Promise.all([first, second])).toEqual(['one', 'one, two']);
});

test('of two replicas that take the same value only one gets it', async () => {
  const url = await teamDatabase();
  const [one, other] = [await openVaults(url), await openVaults(url)];
  await one.vaults.forUser('ada').write('visit/1', 'once');
  const taken = await Promise.all([
    one.vaults.forUser('ada').take('visit/1'),
    other.vaults.forUser('ada').take('visit/1'),
  ]);
  expect(taken.filter((value) => value !== undefined)).toEqual(['once']);
});

test('notifies another replica of changed and erased names', async () => {
  const url = await teamDatabase();
  const [one, other] = [await openVaults(url), await openVaults(url)];
  const [here, there] = [one.vaults.forUser('ada'), other.vaults.forUser('ada')];
  await here.write('secret/A', 'value A');
  await there.read('secret/A');
  const heard: string[] = [];
  there.changed.on((names) => heard.push(...names));
  await here.write('secret/B', 'value B');
  await expect.poll(() => heard).toEqual(['secret/B']);
  await here.erase();
  await expect.poll(() => heard.slice(1)).toEqual(['secret/A', 'secret/B']);
  expect(await there.read('secret/A')).toBeUndefined();
});
