/**
 * The activity of several replicas in one database: each row once, despite repeats; nothing is lost during an outage.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inDatabase, storedPayloads } from '../../core/activity/fixture.ts';
import { activityThread } from '../../support/shared-workers.ts';
import { ActivityLog } from '../../../src-main/core/activity/activity-log.ts';
import type { CallRecord } from '../../../src-main/core/activity/call-record.ts';
import { addRows, totalSavings } from '../../../src-main/core/activity/ledger/ledger-table.ts';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { ActivityRows } from '../../../src-main/team/activity/activity-rows.ts';
import { ActivityShipper } from '../../../src-main/team/activity/activity-shipper.ts';
import { CallQueries, type TeamCall } from '../../../src-main/team/activity/call-queries.ts';
import type { RowScope, TeamCallFilter } from '../../../src-main/team/activity/call-conditions.ts';
import { SavingsQueries } from '../../../src-main/team/activity/savings-queries.ts';
import { connect, Database } from '../../../src-main/team/database/database.ts';
import { teamDatabase } from '../../support/team-database.ts';

interface Recorder {
  readonly activity: ActivityLog;
  readonly ship: ActivityShipper;
  readonly rows: ActivityRows;
  readonly database: Database;
  readonly calls: (whose?: RowScope, filter?: TeamCallFilter) => Promise<readonly TeamCall[]>;
  readonly told: string[];
}

function openRecorder(url: string, { replica = 'r1', maxRows = 10_000 } = {}): Recorder {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-record-'));
  const database = new Database({ url, most: 2 });
  const activity = new ActivityLog({
    file: join(folder, 'activity.db'),
    masker: new Masker(),
    log: createLog(),
    maxRows,
    maxBytes: 64 << 20,
    payloads: () => ({ ...storedPayloads, keep: false }),
    thread: activityThread,
  });
  const rows = new ActivityRows(database.sql, replica);
  const told: string[] = [];
  const note = (text: string): void => void told.push(text);
  const ship = new ActivityShipper(activity, { rows, log: { warn: note, info: note }, changed: [activity.changed] });
  onTestFinished(async () => {
    await ship.close();
    await activity.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const queries = new CallQueries(database.sql);
  const calls: Recorder['calls'] = async (whose = 'everybody', filter = {}) =>
    (await queries.page(whose, filter, { limit: 100 })).calls;
  return { activity, ship, rows, calls, database, told };
}

let clock = Date.now() - 60_000;

function call(over: Partial<CallRecord> = {}): CallRecord {
  const times = { durationMs: 12.5, stages: { resolve: 0, allow: 0, call: 12, shape: 0 } };
  const bytes = { request: 10, serverResult: 300, modelResult: 200 };
  return {
    startedAt: clock++,
    sessionId: 's',
    app: 'cursor',
    mode: 'proxy',
    server: 'notes',
    tool: 'read',
    user: 'ada',
    outcome: 'ok',
    ...times,
    bytes,
    ...over,
  };
}

test('lists and sums the rows of all replicas, for one user or for all', async () => {
  const url = await teamDatabase();
  const [one, other] = [openRecorder(url), openRecorder(url, { replica: 'r2' })];
  for (let at = 0; at < 3; at++) one.activity.record(call({ tool: `t${at}` }));
  await one.activity.ask('sql', [{ sql: 'UPDATE calls SET modelResultTokens = 7' }]);
  other.activity.record(call({ user: 'bob', outcome: 'failed', error: { code: 'internal', text: 'No \0 such note' } }));
  expect([await one.ship.ship(true), await other.ship.ship(true)]).toEqual([true, true]);
  expect((await one.calls()).map(({ user }) => user).toSorted()).toEqual(['ada', 'ada', 'ada', 'bob']);
  const replicas = await one.database
    .sql`SELECT replica, count(*)::int AS calls FROM tooltray.calls GROUP BY 1 ORDER BY 1`;
  expect([...replicas]).toEqual([
    { replica: 'r1', calls: 3 },
    { replica: 'r2', calls: 1 },
  ]);
  const queries = new CallQueries(one.database.sql);
  expect(await queries.servers({ person: 'ada' }, 0)).toEqual([
    { server: 'notes', calls: 3, failures: 0, tokens: 21, medianMs: 12.5 },
  ]);
  const found = await one.calls('everybody', { text: 'SUCH note' });
  expect(found).toMatchObject([{ user: 'bob', outcome: 'failed', error: 'No \ufffd such note' }]);
  expect(await one.calls({ person: 'ada' }, { text: 'such note' })).toEqual([]);
  const first = await queries.page({ person: 'ada' }, {}, { limit: 2 });
  const rest = await queries.page({ person: 'ada' }, {}, { limit: 2, beforeId: first.calls.at(-1)?.id });
  expect([...first.calls, ...rest.calls].map(({ tool }) => tool)).toEqual(['t2', 't1', 't0']);
  expect([first.more, first.total, rest.more]).toEqual([true, 3, false]);
});

test('stores a row resent after a lost response once, with later changes', async () => {
  const { activity, ship, rows, calls } = openRecorder(await teamDatabase());
  const put = rows.put.bind(rows);
  let isLost = true;
  rows.put = async (lot) => {
    await put(lot);
    if (isLost) throw new AppError('store_unreachable', 'lost on the way back');
  };
  const [args, given] = [activity.shareText('{"a":1}'), activity.shareText('the answer')];
  activity.record(call(), { arguments: args, result: given, given, spilled: undefined });
  await activity.flush();
  expect(await ship.ship(true)).toBe(false);
  isLost = false;
  await expect.poll(async () => (await activity.ask('recentCalls'))[0]?.tokens.modelResult).toBe(2);
  expect(await ship.ship(true)).toBe(true);
  expect(await calls()).toMatchObject([{ tool: 'read', tokens: { modelResult: 2 } }]);
});

test('resends a row that changes while it is sent', async () => {
  const { activity, ship, rows, calls } = openRecorder(await teamDatabase());
  const put = rows.put.bind(rows);
  const sent: unknown[] = [];
  rows.put = async (lot) => {
    if (sent.length === 0) await activity.ask('sql', [{ sql: 'UPDATE calls SET modelResultTokens = 5' }]);
    sent.push(...lot.rows.map(({ modelResultTokens }) => modelResultTokens));
    await put(lot);
  };
  activity.record(call());
  await ship.ship(true);
  await ship.ship(true);
  expect(sent).toEqual([null, 5]);
  expect(await calls()).toMatchObject([{ tokens: { modelResult: 5 } }]);
});

test('reports rows dropped over the limit before they were sent, and sends the rest', async () => {
  const { activity, ship, rows, calls, told } = openRecorder(await teamDatabase(), { maxRows: 5 });
  const put = rows.put.bind(rows);
  rows.put = () => Promise.reject(new AppError('store_unreachable', 'away'));
  activity.record(call());
  await activity.flush();
  expect(await ship.ship(true)).toBe(false);
  for (let at = 0; at < 7; at++) activity.record(call({ tool: `t${at}` }));
  await activity.flush();
  rows.put = put;
  expect(await ship.ship(true)).toBe(true);
  expect((await calls()).map(({ tool }) => tool)).toEqual(['t6', 't5', 't4', 't3', 't2']);
  expect(told).toContainEqual(expect.stringContaining('3 rows of activity were dropped'));
});

test('a row that the database rejects does not block the others', async () => {
  const url = await teamDatabase();
  const { activity, ship, calls } = openRecorder(url);
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  await owner`ALTER TABLE tooltray.calls ADD CHECK (tool <> 'bad')`;
  for (const tool of ['a', 'bad', 'b', 'c']) activity.record(call({ tool }));
  expect(await ship.ship(true)).toBe(true);
  expect((await calls()).map(({ tool }) => tool)).toEqual(['c', 'b', 'a']);
});

test('sums the savings of the replicas’ ledgers, however often a row was sent', async () => {
  const { activity, ship, database } = openRecorder(await teamDatabase());
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const row = { hour, session: 's', user: 'ada', app: 'cursor', mode: 'proxy', server: 'notes', tool: 'read' };
  const entry = {
    ...row,
    cause: 'results',
    times: 1,
    sent: 10,
    loaded: 10,
    baseline: 50,
    raw: 60,
    estimated: 0,
  } as const;
  for (let at = 0; at < 2; at++) {
    inDatabase(activity.file, (database) => addRows(database, [entry]));
    await ship.ship(true);
  }
  const ledger = new SavingsQueries(database.sql);
  const sums = await ledger.sums('everybody', 'person', {});
  expect(sums).toMatchObject([{ key: 'ada', cause: 'results', times: 2, sent: 20, baseline: 100 }]);
  expect(totalSavings(sums)).toMatchObject({ results: 100, given: 20, net: 80, calls: 2 });
  expect(await ledger.sums({ person: 'bob' }, 'app', {})).toEqual([]);
});

test('drops old partitions of calls, never of the audit', async () => {
  const url = await teamDatabase();
  const one = openRecorder(url);
  one.activity.record(call());
  await one.ship.ship(true);
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  for (const table of ['calls', 'audit'])
    await owner.unsafe(
      `CREATE TABLE tooltray_parts.${table}_202001 PARTITION OF tooltray.${table} FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')`,
    );
  const sql = one.database.sql;
  expect([...(await sql`SELECT tooltray.drop_parts(0) AS dropped`)]).toEqual([{ dropped: 1 }]);
  expect(await one.calls()).toHaveLength(1);
});
