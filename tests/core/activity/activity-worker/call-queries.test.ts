/** Queries of the dashboard over recorded calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createActivityDatabase } from '../../../../src-main/core/activity/activity-worker/activity-database.ts';
import {
  findCallBySpill,
  findCall,
  firstAppCall,
  searchCalls,
} from '../../../../src-main/core/activity/activity-worker/call-queries.ts';
import { type CallRecord, toRow } from '../../../../src-main/core/activity/call-record.ts';
import { insertCall } from '../../../../src-main/core/activity/activity-worker/call-table.ts';
import { latencies, outcomesByHour, percentile } from '../../../../src-main/core/activity/call-charts.ts';
import { callsByServer, callTotals } from '../../../../src-main/core/activity/activity-worker/call-totals.ts';
import { Masker } from '../../../../src-main/core/base/mask.ts';

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 21, 12);

function call(more: Partial<CallRecord> = {}): CallRecord {
  return {
    startedAt: noon,
    sessionId: 's',
    app: 'app',
    mode: 'search',
    server: 'git',
    tool: 'log',
    outcome: 'ok',
    durationMs: 10,
    stages: { resolve: 0, allow: 0, call: 10, shape: 0 },
    bytes: { request: 2, serverResult: 40, modelResult: 40 },
    ...more,
  };
}

/** A database with these calls. */
function databaseOf(...calls: CallRecord[]): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-queries-'));
  const store = createActivityDatabase(join(folder, 'activity.db'), 64 << 20, () => expect.fail('It is broken.'));
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store.use((database) => {
    for (const one of calls) insertCall(database, toRow(one, new Masker()), one);
    return database;
  });
}

const tools = (database: DatabaseSync, search: object): string[] =>
  searchCalls(database, search, { limit: 10 }).calls.map(({ tool }) => tool);

test('finds calls by text in names, reasons and errors, and takes wildcards literally', () => {
  const log = databaseOf(
    call({ tool: 'a', declared: { reason: 'Look for the CULPRIT' } }),
    call({ tool: 'b', error: { code: 'internal', text: '100% full' }, outcome: 'failed' }),
    call({ tool: 'c' }),
  );
  expect([tools(log, { text: 'culprit' }), tools(log, { text: '%' }), tools(log, { text: 'git:' })]).toEqual([
    ['a'],
    ['b'],
    ['c', 'b', 'a'],
  ]);
});

test('combines filters, and totals all matching calls', () => {
  const failed = call({ outcome: 'failed', app: 'x', spillId: 'r1' });
  const log = databaseOf(call(), failed, failed, call({ app: 'x' }));
  const page = searchCalls(log, { app: 'x', outcomes: ['failed'], spilled: true }, { limit: 1 });
  expect({ ...page, calls: page.calls.length }).toMatchObject({ calls: 1, total: 2, failed: 2 });
});

test('counts matching calls after an id, and returns the id of the newest call whether it matches or not', () => {
  const log = databaseOf(call(), call({ outcome: 'failed', app: 'x' }), call({ app: 'x' }), call());
  const ask = (search: object, range: object): unknown => {
    const page = searchCalls(log, search, { limit: 0, ...range });
    return [page.calls.length, page.newer, page.lastId];
  };
  expect(ask({ app: 'x' }, { afterId: 1 })).toEqual([0, { calls: 2, problems: 1 }, 4]);
  expect(ask({ app: 'x' }, { afterId: 3 })).toEqual([0, { calls: 0, problems: 0 }, 4]);
  expect(ask({}, {})).toEqual([0, undefined, 4]);
});

test('pages backwards and forwards from an id', () => {
  const log = databaseOf(...Array.from({ length: 5 }, (_, index) => call({ tool: `t${index + 1}` })));
  const ids = (range: object): number[] => searchCalls(log, {}, { limit: 2, ...range }).calls.map(({ id }) => id);
  expect([ids({}), ids({ beforeId: 4 }), ids({ afterId: 4 })]).toEqual([[5, 4], [3, 2], [5]]);
});

test('groups calls by outcome and hour, and returns latency percentiles', () => {
  const log = databaseOf(
    call({ startedAt: noon - hour, durationMs: 10 }),
    call({ startedAt: noon - 2 * hour, durationMs: 5000, server: 'web' }),
    call({ outcome: 'failed', durationMs: 900 }),
    call({ durationMs: 20 }),
    call({ outcome: 'blocked', durationMs: 0, stages: { resolve: 0, allow: 0, call: 0, shape: 0 } }),
  );
  const outcomes = outcomesByHour(log, 0, 0);
  expect([outcomes.get(noon - hour), outcomes.get(noon), outcomes.has(noon - 3 * hour)]).toEqual([
    { ok: 1, tool_error: 0, failed: 0, cancelled: 0, blocked: 0 },
    { ok: 1, tool_error: 0, failed: 1, cancelled: 0, blocked: 1 },
    false,
  ]);
  expect(latencies(log, noon - hour, noon + hour)).toEqual({
    servers: [{ server: 'git', calls: 3, failures: 1, p50: 20, p95: 900 }],
    measured: 3,
  });
});

test.each([
  [0.5, [7], 7],
  [0.5, [1, 2, 3, 4], 2],
  [0.95, Array.from({ length: 100 }, (_, at) => at + 1), 95],
  [0.95, [], 0],
])('returns the percentile of a share of %d', (share, values, found) => {
  expect(percentile(values, share)).toBe(found);
});

test('filters calls by start time', () => {
  const log = databaseOf(call({ startedAt: noon - hour }), call(), call({ startedAt: noon + hour }));
  const sums = callTotals(log, { since: noon - hour, until: noon + hour });
  expect(sums.total).toBe(2);
});

test('returns calls, failures and the median duration by server', () => {
  const log = databaseOf(
    call({ durationMs: 1 }),
    call({ durationMs: 5 }),
    call({ durationMs: 900, outcome: 'failed' }),
  );
  expect(callsByServer(log, 0)).toMatchObject([{ server: 'git', calls: 3, failures: 1, medianMs: 5 }]);
});

test("returns the first call of a client app, not the user's own", () => {
  const log = databaseOf(call({ sessionId: 'command-line', tool: 'mine' }), call({ tool: 'theirs', app: 'cursor' }));
  expect(firstAppCall(log)).toEqual({ app: 'cursor', tool: 'git:theirs', at: noon });
});

test('finds the call of a spill', () => {
  const log = databaseOf(call(), call({ spillId: 'r7' }));
  const id = findCallBySpill(log, 'r7');
  expect([id, findCall(log, 2)?.spillId]).toEqual([2, 'r7']);
});

test('records cancelled calls without counting them as problems', () => {
  const log = databaseOf(
    call({ tool: 'a', outcome: 'cancelled' }),
    call({ tool: 'b', outcome: 'failed' }),
    call({ tool: 'c', outcome: 'tool_error' }),
    call({ tool: 'd' }),
  );
  const { total, failed } = searchCalls(log, {}, { limit: 10 });
  const [server] = callsByServer(log, noon - hour);
  expect([total, failed, server?.calls, server?.failures]).toEqual([4, 2, 4, 2]);
});
