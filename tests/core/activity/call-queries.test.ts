/** What the dashboard asks of the record of calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ActivityLog } from '../../../src-main/core/activity/activity-log.ts';
import {
  callOfSpill,
  callsByServer,
  callsPerHour,
  findCall,
  firstAppCall,
  searchCalls,
} from '../../../src-main/core/activity/call-queries.ts';
import type { CallRecord } from '../../../src-main/core/activity/call-record.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask-secrets.ts';

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 21, 12);

function call(more: Partial<CallRecord> = {}): CallRecord {
  return {
    ...{ startedAt: noon, sessionId: 's', app: 'app', mode: 'search', server: 'git', tool: 'log', outcome: 'ok' },
    ...{ durationMs: 10, resolveMs: 0, allowMs: 0, callMs: 10, shapeMs: 0 },
    ...{ argumentBytes: 2, resultBytes: 40, givenBytes: 40 },
    ...more,
  };
}

function logOf(...calls: CallRecord[]): ActivityLog {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-queries-'));
  const masker = new Masker();
  const log = new ActivityLog({
    file: join(folder, 'activity.db'),
    masker,
    log: createLog({ file: join(folder, 'core.log'), masker }),
    tokenCounter: { count: () => Promise.resolve({ tokens: 1, estimated: false }) },
    maxRows: 20_000,
    maxBytes: 64 * 1024 * 1024,
  });
  onTestFinished(async () => {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const one of calls) log.record(one);
  return log;
}

const tools = (log: ActivityLog, search: object): string[] =>
  log.query((database) => searchCalls(database, search, { limit: 10 })).calls.map(({ tool }) => tool);

test('calls are found by what stands in names, reasons and errors, wildcards being plain characters', () => {
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

test('filters narrow together, and the totals are of everything that fits', () => {
  const failed = call({ outcome: 'failed', app: 'x', spillId: 'r1' });
  const log = logOf(call(), failed, failed, call({ app: 'x' }));
  const page = log.query((database) =>
    searchCalls(database, { app: 'x', outcomes: ['failed'], spilled: true }, { limit: 1 }),
  );
  expect({ ...page, calls: page.calls.length }).toMatchObject({ calls: 1, total: 2, failed: 2 });
});

test('pages go back from an id and forward from one', () => {
  const log = logOf(...Array.from({ length: 5 }, (_, index) => call({ tool: `t${index + 1}` })));
  const ids = (range: object): number[] =>
    log.query((database) => searchCalls(database, {}, { limit: 2, ...range })).calls.map(({ id }) => id);
  expect([ids({}), ids({ beforeId: 4 }), ids({ afterId: 4 })]).toEqual([[5, 4], [3, 2], [5]]);
});

test('the hours of a day are all there, also those without a call', () => {
  const log = logOf(call({ startedAt: noon - hour }), call({ outcome: 'failed' }), call());
  const hours = log.query((database) => callsPerHour(database, noon + 1, 3));
  expect(hours.map(({ ok, failed }) => [ok, failed])).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
  ]);
});

test('servers are summed up with the median of their calls', () => {
  const log = logOf(call({ durationMs: 1 }), call({ durationMs: 5 }), call({ durationMs: 900, outcome: 'failed' }));
  expect(log.query((database) => callsByServer(database, 0))).toMatchObject([
    { server: 'git', calls: 3, failures: 1, medianMs: 5 },
  ]);
});

test('the first call is one of a client app, not of the person', () => {
  const log = logOf(call({ sessionId: 'command-line', tool: 'mine' }), call({ tool: 'theirs', app: 'cursor' }));
  expect(log.query(firstAppCall)).toEqual({ app: 'cursor', tool: 'git:theirs', at: noon });
});

test('a kept answer leads to its call', () => {
  const log = logOf(call(), call({ spillId: 'r7' }));
  const id = log.query((database) => callOfSpill(database, 'r7'));
  expect([id, log.query((database) => findCall(database, 2))?.spillId]).toEqual([2, 'r7']);
});
