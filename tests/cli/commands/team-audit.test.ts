/** Team changes from the command line are in its audit log, with the operator who made them. */
import { userInfo } from 'node:os';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { AuditTable } from '../../../src-main/team/audit/audit-table.ts';
import { readPage } from '../../../src-main/core/trust/audit/read-audit-log.ts';
import { verifyLog } from '../../../src-main/core/trust/audit/verify-audit-log.ts';
import { connect, Database } from '../../../src-main/team/database/database.ts';
import { TeamKeys } from '../../../src-main/team/documents/team-keys.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { testKeys } from '../../support/start-replica.ts';
import { asReplica } from '../../support/team-cluster.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { CliHome, entries } from '../cli-home.ts';

const home = new CliHome();
home.writeConfig({ servers: { echo: entries.echo } });
afterAll(() => home[Symbol.asyncDispose]());

function withKeys(): void {
  vi.stubEnv('TOOLTRAY_TEAM_KEYS', testKeys.TOOLTRAY_TEAM_KEYS);
  onTestFinished(() => void vi.unstubAllEnvs());
}

interface Act {
  readonly words: readonly string[];
  readonly input?: string;
  /** `change` of its record. */
  readonly change: string;
}

const link = ['team', 'login', 'link', 'far', '--user', 'ana', '--public-url', 'https://tools.example.com'];

test('records every change with the operator, signed, and no listing', async () => {
  withKeys();
  const url = asReplica(await teamDatabase());
  const database = new Database({ url, most: 2 });
  onTestFinished(() => database.close());
  const run = (words: readonly string[], input = ''): ReturnType<typeof home.run> =>
    home.runWith({ input }, ...words, '--json', '--database', url);
  const acts: readonly Act[] = [
    { words: ['team', 'user', 'add', 'ana', '--group', 'guests'], change: 'given' },
    { words: ['team', 'user', 'role', 'ana', 'admin'], change: 'changed' },
    { words: ['team', 'user', 'groups', 'ana', 'sales'], change: 'changed' },
    { words: ['team', 'user', 'suspend', 'ana'], change: 'revoked' },
    { words: ['team', 'user', 'restore', 'ana'], change: 'given' },
    { words: ['team', 'user', 'grant', 'sales'], change: 'given' },
    { words: ['team', 'user', 'ungrant', 'sales'], change: 'revoked' },
    { words: ['team', 'secret', 'set', 'KEY'], input: 'value of KEY', change: 'given' },
    { words: ['team', 'secret', 'set', 'OWN', '--user', 'ana'], input: 'value of OWN', change: 'given' },
    { words: ['team', 'secret', 'rm', 'OWN', '--user', 'ana'], change: 'revoked' },
    { words: ['team', 'secret', 'rotate'], change: 'changed' },
    { words: link, change: 'given' },
    { words: ['team', 'token', 'create', 'ana'], change: 'given' },
    { words: ['team', 'user', 'delete', 'ana'], change: 'revoked' },
  ];
  for (const { words, input } of acts) expect(await run(words, input)).toMatchObject({ code: 0 });
  const [token] = await database.sql<{ id: string }[]>`SELECT id FROM tooltray.user_tokens`;
  expect(await run(['team', 'token', 'revoke', token?.id ?? ''])).toMatchObject({ code: 0 });
  for (const list of ['user', 'token', 'secret']) await run(['team', list, 'list']);
  expect(await run(['team', 'user', 'suspend', 'nobody'])).toMatchObject({ code: 1 });

  const log = new AuditTable(database.sql);
  const { entries: records } = await readPage(log, {}, 100);
  expect(records.toReversed().map((record) => 'change' in record && record.change)).toEqual([
    ...acts.map(({ change }) => change),
    'revoked',
  ]);
  const { id } = await new UserStore(database.sql).byName('ana');
  const by = `operator ${userInfo().username}`;
  expect(records.every((record) => record.kind === 'access' && record.by === by)).toBe(true);
  expect(records.filter((record) => 'user' in record && record.user === id)).toHaveLength(9);
  expect(JSON.stringify(records)).not.toContain('value of');
  expect(await verifyLog({ log, ownKey: TeamKeys.fromEnv(testKeys).audit().publicKey })).toMatchObject({
    holds: true,
    findings: [],
  });
});

test('records a migration, once, and migrates nothing without the team keys', async () => {
  const url = await teamDatabase({ isEmpty: true });
  const database = new Database({ url, most: 1 });
  onTestFinished(() => database.close());
  expect(await home.run('team', 'migrate', '--database', url)).toMatchObject({ code: 2 });
  expect(await database.sql`SELECT to_regclass('tooltray.migrations') AS name`).toMatchObject([{ name: null }]);
  withKeys();
  for (let time = 0; time < 2; time++)
    expect(await home.run('team', 'migrate', '--database', url)).toMatchObject({ code: 0 });
  const { entries: records } = await readPage(new AuditTable(database.sql), {}, 100);
  expect(records).toMatchObject([{ kind: 'access', change: 'changed', by: `operator ${userInfo().username}` }]);
});

test('changes nothing without the team keys, which sign the audit log', async () => {
  const url = asReplica(await teamDatabase());
  expect(await home.run('team', 'user', 'add', 'ana', '--database', url)).toMatchObject({ code: 2 });
  expect((await home.json('team', 'user', 'list', '--database', url)).data).toMatchObject({ users: [] });
});

test('reports a change that could not be recorded', async () => {
  withKeys();
  const owner = await teamDatabase();
  const sql = connect({ url: owner, most: 1 });
  onTestFinished(() => sql.end());
  await sql`REVOKE INSERT ON tooltray.audit FROM tooltray_replica`;
  expect(await home.run('team', 'user', 'add', 'ana', '--database', asReplica(owner))).toMatchObject({ code: 1 });
}, 30_000);
