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
import { addRows } from '../../../src-main/core/activity/ledger/ledger-table.ts';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { ActivityRows } from '../../../src-main/team/activity/activity-rows.ts';
import { ActivityShipper } from '../../../src-main/team/activity/activity-shipper.ts';
import { TeamActivity } from '../../../src-main/team/activity/team-activity.ts';
import { connect, Database } from '../../../src-main/team/database/database.ts';
import { teamDatabase } from '../../support/team-database.ts';

interface Recorder {
  readonly activity: ActivityLog;
  readonly ship: ActivityShipper;
  readonly rows: ActivityRows;
  readonly all: TeamActivity;
  readonly database: Database;
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
  return { activity, ship, rows, all: new TeamActivity(database.sql), database, told };
}

let clock = Date.now() - 60_000;

function call(over: Partial<CallRecord> = {}): CallRecord {
  const times = { durationMs: 12.5, resolveMs: 0, allowMs: 0, callMs: 12, shapeMs: 0 };
  const sizes = { argumentBytes: 10, resultBytes: 300, givenBytes: 200 };
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
    ...sizes,
    ...over,
  };
}

const keysOf = (sums: readonly { readonly key: string; readonly calls: number }[]): unknown =>
  sums.map(({ key, calls }) => [key, calls]);

test('lists and sums the rows of all replicas, for one user or for all', async () => {
  const url = await teamDatabase();
  const [one, other] = [openRecorder(url), openRecorder(url, { replica: 'r2' })];
  for (let at = 0; at < 3; at++) one.activity.record(call({ tool: `t${at}`, tokensOut: 7 }));
  other.activity.record(call({ user: 'bob', outcome: 'failed', errorText: 'No \0 such note' }));
  expect([await one.ship.ship(true), await other.ship.ship(true)]).toEqual([true, true]);
  const { all } = one;
  expect(keysOf(await all.sums('everybody', 'person'))).toEqual([
    ['ada', 3],
    ['bob', 1],
  ]);
  expect(keysOf(await all.sums('everybody', 'replica'))).toEqual([
    ['r1', 3],
    ['r2', 1],
  ]);
  expect(await all.sums({ person: 'ada' }, 'server')).toMatchObject([
    { key: 'notes', calls: 3, failed: 0, people: 1, tokensOut: 21, resultBytes: 900, averageMs: 12.5 },
  ]);
  expect(await all.sums('everybody', 'hour')).not.toHaveLength(0);
  const found = await all.calls('everybody', { text: 'SUCH note' });
  expect(found).toMatchObject([{ person: 'bob', outcome: 'failed', errorText: 'No \ufffd such note', replica: 'r2' }]);
  expect(await all.calls({ person: 'ada' }, { text: 'such note' })).toEqual([]);
  const first = await all.calls({ person: 'ada' }, {}, 2);
  const rest = await all.calls({ person: 'ada' }, {}, 2, first.at(-1)?.cursor);
  expect([...first, ...rest].map(({ tool }) => tool)).toEqual(['t2', 't1', 't0']);
});

test('stores a row resent after a lost response once, with later changes', async () => {
  const { activity, ship, rows, all } = openRecorder(await teamDatabase());
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
  await expect.poll(async () => (await activity.ask('recentCalls'))[0]?.tokensOut).toBe(2);
  expect(await ship.ship(true)).toBe(true);
  expect(await all.calls('everybody')).toMatchObject([{ tool: 'read', tokensOut: 2 }]);
});

test('resends a row that changes while it is sent', async () => {
  const { activity, ship, rows, all } = openRecorder(await teamDatabase());
  const put = rows.put.bind(rows);
  const sent: unknown[] = [];
  rows.put = async (lot) => {
    if (sent.length === 0) await activity.ask('sql', [{ sql: 'UPDATE calls SET tokensOut = 5' }]);
    sent.push(...lot.rows.map(({ tokensOut }) => tokensOut));
    await put(lot);
  };
  activity.record(call());
  await ship.ship(true);
  await ship.ship(true);
  expect(sent).toEqual([null, 5]);
  expect(await all.calls('everybody')).toMatchObject([{ tokensOut: 5 }]);
});

test('reports rows dropped over the limit before they were sent, and sends the rest', async () => {
  const { activity, ship, rows, all, told } = openRecorder(await teamDatabase(), { maxRows: 5 });
  const put = rows.put.bind(rows);
  rows.put = () => Promise.reject(new AppError('store_unreachable', 'away'));
  activity.record(call());
  await activity.flush();
  expect(await ship.ship(true)).toBe(false);
  for (let at = 0; at < 7; at++) activity.record(call({ tool: `t${at}` }));
  await activity.flush();
  rows.put = put;
  expect(await ship.ship(true)).toBe(true);
  expect((await all.calls('everybody')).map(({ tool }) => tool)).toEqual(['t6', 't5', 't4', 't3', 't2']);
  expect(told).toContainEqual(expect.stringContaining('3 rows of the record were dropped'));
});

test('a row that the database rejects does not block the others', async () => {
  const url = await teamDatabase();
  const { activity, ship, all } = openRecorder(url);
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  await owner`ALTER TABLE tooltray.calls ADD CHECK (tool <> 'bad')`;
  for (const tool of ['a', 'bad', 'b', 'c']) activity.record(call({ tool }));
  expect(await ship.ship(true)).toBe(true);
  expect((await all.calls('everybody')).map(({ tool }) => tool)).toEqual(['c', 'b', 'a']);
});

test('sums the savings of the replicas’ ledgers, however often a row was sent', async () => {
  const { activity, ship, all } = openRecorder(await teamDatabase());
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
  const { rows, total } = await all.savings('everybody', 'person');
  expect(total).toMatchObject({ answers: 100, given: 20, net: 80, calls: 2 });
  expect(rows).toMatchObject([{ key: 'ada', net: 80 }]);
  expect((await all.savings({ person: 'bob' }, 'app')).total.net).toBe(0);
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
  expect(await one.all.calls('everybody')).toHaveLength(1);
});
