/** Queries of the dashboard over recorded calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ActivityLog } from '../../../src-main/core/activity/activity-log.ts';
import { findCallBySpill, findCall, firstAppCall, searchCalls } from '../../../src-main/core/activity/call-queries.ts';
import type { CallRecord } from '../../../src-main/core/activity/call-record.ts';
import { latencies, outcomesByHour, percentile } from '../../../src-main/core/activity/call-charts.ts';
import { callsByServer, AggregateCache, callTotals } from '../../../src-main/core/activity/call-totals.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';

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
    resolveMs: 0,
    allowMs: 0,
    callMs: 10,
    shapeMs: 0,
    argumentBytes: 2,
    resultBytes: 40,
    givenBytes: 40,
    ...more,
  };
}

function logOf(...calls: CallRecord[]): ActivityLog {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-queries-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = logIn(folder);
  for (const one of calls) log.record(one);
  return log;
}

function logIn(folder: string, maxRows = 20_000): ActivityLog {
  const masker = new Masker();
  const log = new ActivityLog({
    file: join(folder, 'activity.db'),
    masker,
    log: createLog({ file: join(folder, 'core.log'), masker }),
    tokenCounter: { count: () => Promise.resolve({ tokens: 1, estimated: false }) },
    maxRows,
    maxBytes: 64 * 1024 * 1024,
  });
  onTestFinished(() => log.close());
  return log;
}

const tools = (log: ActivityLog, search: object): string[] =>
  log
    .query((database, stretches) => searchCalls(database, search, { limit: 10 }, stretches))
    .calls.map(({ tool }) => tool);

test('finds calls by text in names, reasons and errors, and takes wildcards literally', () => {
  const log = logOf(
    call({ tool: 'a', why: 'Look for the CULPRIT' }),
    call({ tool: 'b', errorText: '100% full', outcome: 'failed' }),
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
  const log = logOf(call(), failed, failed, call({ app: 'x' }));
  const page = log.query((database, stretches) =>
    searchCalls(database, { app: 'x', outcomes: ['failed'], spilled: true }, { limit: 1 }, stretches),
  );
  expect({ ...page, calls: page.calls.length }).toMatchObject({ calls: 1, total: 2, failed: 2 });
});

test('counts matching calls after an id, and returns the id of the newest call whether it matches or not', () => {
  const log = logOf(call(), call({ outcome: 'failed', app: 'x' }), call({ app: 'x' }), call());
  const ask = (search: object, range: object): unknown => {
    const page = log.query((database, stretches) => searchCalls(database, search, { limit: 0, ...range }, stretches));
    return [page.calls.length, page.newer, page.lastId];
  };
  expect(ask({ app: 'x' }, { afterId: 1 })).toEqual([0, { calls: 2, problems: 1 }, 4]);
  expect(ask({ app: 'x' }, { afterId: 3 })).toEqual([0, { calls: 0, problems: 0 }, 4]);
  expect(ask({}, {})).toEqual([0, undefined, 4]);
});

test('pages backwards and forwards from an id', () => {
  const log = logOf(...Array.from({ length: 5 }, (_, index) => call({ tool: `t${index + 1}` })));
  const ids = (range: object): number[] =>
    log
      .query((database, stretches) => searchCalls(database, {}, { limit: 2, ...range }, stretches))
      .calls.map(({ id }) => id);
  expect([ids({}), ids({ beforeId: 4 }), ids({ afterId: 4 })]).toEqual([[5, 4], [3, 2], [5]]);
});

test('groups calls by outcome and hour, and returns latency percentiles', () => {
  const log = logOf(
    call({ startedAt: noon - hour, durationMs: 10 }),
    call({ startedAt: noon - 2 * hour, durationMs: 5000, server: 'web' }),
    call({ outcome: 'failed', durationMs: 900 }),
    call({ durationMs: 20 }),
    call({ outcome: 'blocked', durationMs: 0, callMs: 0 }),
  );
  const outcomes = log.query((database, stretches) => outcomesByHour(database, stretches, 0));
  expect([outcomes.get(noon - hour), outcomes.get(noon), outcomes.has(noon - 3 * hour)]).toEqual([
    { ok: 1, tool_error: 0, failed: 0, cancelled: 0, blocked: 0 },
    { ok: 1, tool_error: 0, failed: 1, cancelled: 0, blocked: 1 },
    false,
  ]);
  expect(log.query((database) => latencies(database, noon - hour, noon + hour))).toEqual({
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
  const log = logOf(call({ startedAt: noon - hour }), call(), call({ startedAt: noon + hour }));
  const sums = log.query((database, stretches) =>
    callTotals(database, { since: noon - hour, until: noon + hour }, stretches),
  );
  expect(sums.total).toBe(2);
});

test('returns calls, failures and the median duration by server', () => {
  const log = logOf(call({ durationMs: 1 }), call({ durationMs: 5 }), call({ durationMs: 900, outcome: 'failed' }));
  expect(log.query((database, stretches) => callsByServer(database, 0, stretches))).toMatchObject([
    { server: 'git', calls: 3, failures: 1, medianMs: 5 },
  ]);
});

test("returns the first call of a client app, not the user's own", () => {
  const log = logOf(call({ sessionId: 'command-line', tool: 'mine' }), call({ tool: 'theirs', app: 'cursor' }));
  expect(log.query(firstAppCall)).toEqual({ app: 'cursor', tool: 'git:theirs', at: noon });
});

test('finds the call of a spill', () => {
  const log = logOf(call(), call({ spillId: 'r7' }));
  const id = log.query((database) => findCallBySpill(database, 'r7'));
  expect([id, log.query((database) => findCall(database, 2))?.spillId]).toEqual([2, 'r7']);
});

test('keeps totals correct while calls are added, counted and deleted, also by another process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-queries-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [log, other] = [logIn(folder, 2300), logIn(folder, 2300)];
  const asked = (stretches?: AggregateCache): unknown =>
    log.query((database, own) => [
      callTotals(database, {}, stretches ?? own),
      callTotals(database, { outcomes: ['failed'], text: 'log' }, stretches ?? own),
      [...outcomesByHour(database, stretches ?? own, 0)].toSorted(([a], [b]) => a - b),
      callsByServer(database, noon - hour, stretches ?? own),
    ]);
  const seen: unknown[] = [asked()];
  const add = (to: ActivityLog, count: number, from: number): void => {
    for (let i = 0; i < count; i++) {
      const startedAt = noon - 2 * hour + ((from + i) % 3) * hour;
      to.record(call({ startedAt, server: `s${i % 4}`, outcome: i % 5 === 0 ? 'failed' : 'ok' }), {
        arguments: '{}',
        given: 'x',
        sent: 'same',
      });
    }
    to.flush();
  };
  for (const [to, count] of [
    [log, 900],
    [log, 700],
    [other, 300],
    [log, 1400],
    [log, 5],
  ] as const) {
    add(to, count, seen.length);
    await sleep(20);
    seen.push(asked());
    expect(seen.at(-1)).toEqual(asked(new AggregateCache()));
  }
  expect((seen.at(-1) as [{ total: number; tokensOut: number }])[0]).toMatchObject({ total: 2300 });
});

test('reads only the ranges that have changed', () => {
  const log = logOf(...Array.from({ length: 3500 }, () => call()));
  const stretchesRead = (): number[] =>
    log.query((database, stretches) => {
      const read: number[] = [];
      stretches.mapRanges(database, 'a question', (from) => read.push(from));
      return read;
    });
  const reads = [stretchesRead(), stretchesRead()];
  log.record(call());
  expect([...reads, stretchesRead()]).toEqual([[1, 1000, 2000, 3000], [], [3000]]);
});

test('records cancelled calls without counting them as problems', () => {
  const log = logOf(
    call({ tool: 'a', outcome: 'cancelled' }),
    call({ tool: 'b', outcome: 'failed' }),
    call({ tool: 'c', outcome: 'tool_error' }),
    call({ tool: 'd' }),
  );
  const { total, failed } = log.query((database, stretches) => searchCalls(database, {}, { limit: 10 }, stretches));
  const [server] = log.query((database, stretches) => callsByServer(database, noon - hour, stretches));
  expect([total, failed, server?.calls, server?.failures]).toEqual([4, 2, 4, 2]);
});
