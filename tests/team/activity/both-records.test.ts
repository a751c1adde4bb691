/** Compares activity records in a home's SQLite with those in a team's PostgreSQL: calls, sums by server, savings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inDatabase, storedPayloads } from '../../core/activity/fixture.ts';
import { activityThread } from '../../support/shared-workers.ts';
import { ActivityLog } from '../../../src-main/core/activity/activity-log.ts';
import type { CallOutcome, CallRecord } from '../../../src-main/core/activity/call-record.ts';
import type { CallSearch } from '../../../src-main/core/activity/activity-worker/call-totals.ts';
import type { Cause } from '../../../src-main/core/activity/ledger/ledger-entry.ts';
import { addRows, totalSavings, toRows } from '../../../src-main/core/activity/ledger/ledger-table.ts';
import type { StepRecord } from '../../../src-main/core/activity/steps/step.ts';
import { createLog } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { ActivityRows } from '../../../src-main/team/activity/activity-rows.ts';
import { ActivityShipper } from '../../../src-main/team/activity/activity-shipper.ts';
import { StepQueries } from '../../../src-main/team/activity/step-queries.ts';
import { CallQueries } from '../../../src-main/team/activity/call-queries.ts';
import { SavingsQueries } from '../../../src-main/team/activity/savings-queries.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { teamDatabase } from '../../support/team-database.ts';

const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const causes: readonly Cause[] = ['lists', 'results', 'discovery', 'readback'];

function outcomeOf(at: number): CallOutcome {
  return at % 5 === 0 ? 'tool_error' : at % 7 === 0 ? 'cancelled' : 'ok';
}

function someStep(at: number): StepRecord {
  return {
    id: (hour + at * 10) * 1000,
    startedAt: hour + at * 10,
    sessionId: `s${at % 3}`,
    app: 'cursor',
    mode: 'search',
    kind: 'call',
    name: 'call_tool',
    what: 'x',
    durationMs: 1,
    requestBytes: 1,
    modelResultBytes: 1,
    calls: 1,
    outcome: outcomeOf(at),
  };
}

function someCall(at: number): CallRecord {
  const outcome = outcomeOf(at);
  return {
    startedAt: hour + at * 10,
    sessionId: `s${at % 3}`,
    app: at % 2 === 0 ? 'cursor' : 'zed',
    mode: 'proxy',
    server: `server-${at % 4}`,
    tool: `tool_${at % 7}`,
    declared: { reason: at === 9 ? 'To find Ärger' : undefined },
    outcome,
    durationMs: at,
    stages: { resolve: 0, allow: 0, call: at, shape: 0 },
    bytes: { request: at, serverResult: at * 3, modelResult: at * 2 },
  };
}

test('SQLite and PostgreSQL return the same calls, sums and savings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-both-'));
  const database = new Database({ url: await teamDatabase(), most: 2 });
  const activity = new ActivityLog({
    file: join(folder, 'activity.db'),
    masker: new Masker(),
    log: createLog(),
    maxRows: 1000,
    maxBytes: 64 << 20,
    payloads: () => ({ ...storedPayloads, keep: false }),
    thread: activityThread,
  });
  const sql = database.sql;
  const quiet = { warn: () => undefined, info: () => undefined };
  const ship = new ActivityShipper(activity, { rows: new ActivityRows(sql, 'r1'), log: quiet, changed: [] });
  onTestFinished(async () => {
    await ship.close();
    await activity.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (let at = 0; at < 60; at++) activity.record(someCall(at));
  const books = causes.map((cause, at) => {
    const what = { hour, session: `s${at}`, app: 'cursor', mode: 'proxy', server: `server-${at % 2}`, tool: 'tool_1' };
    return { ...what, cause, times: at + 1, sent: 10 * at, loaded: 9 * at, baseline: 40, raw: 50, estimated: at };
  });
  await activity.flush();
  const home = join(folder, 'activity.db');
  inDatabase(home, (file) => {
    addRows(file, books);
    file.exec(
      'UPDATE calls SET requestTokens = durationMs, serverResultTokens = durationMs, modelResultTokens = durationMs * 2',
    );
  });
  const steps = Array.from({ length: 60 }, (_one, at) => someStep(at));
  for (const step of steps) activity.post({ kind: 'step', step });
  expect(await ship.ship(true)).toBe(true);
  const calls = new CallQueries(sql);
  const ledger = new SavingsQueries(sql);

  const searches: readonly CallSearch[] = [
    ...[{}, { app: 'zed' }, { server: 'server-1' }, { outcomes: ['tool_error' as const] }, { text: 'ärger' }],
    ...[{ text: 'TOOL_3' }, { since: hour + 200, until: hour + 400 }],
  ];
  for (const { outcomes, ...search } of searches) {
    const own = await activity.ask('searchCalls', { ...search, ...(outcomes && { outcomes }) }, { limit: 30 });
    const page = await calls.page('everybody', { ...search, outcomes }, { limit: 30 });
    expect(page.calls.map(({ at, tool }) => [at, tool])).toEqual(
      own.calls.map(({ startedAt, tool }) => [startedAt, tool]),
    );
    expect([page.total, page.failed, page.tokens]).toEqual([own.total, own.failed, own.tokens]);
  }
  const servers = await activity.ask('callsByServer', 0);
  const inTeam = await calls.servers('everybody', 0);
  expect(inTeam.map((one) => [one.server, one.calls, one.failures]).toSorted()).toEqual(
    servers.map(({ server, calls, failures }) => [server, calls, failures]).toSorted(),
  );
  for (const by of ['app', 'server', 'tool', 'cause', 'mode'] as const) {
    const own = await activity.ask('sumLedger', { since: hour, by }, hour);
    const told = await ledger.sums('everybody', by, { since: hour });
    expect(totalSavings(told)).toEqual(totalSavings(own));
    expect(toRows(told, by).toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
      toRows(own, by).toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
  }
  const pages = new StepQueries(sql);
  for (const search of [{}, { sessionId: 's1' }, { problems: true }]) {
    const own = await activity.ask('searchSteps', search, { limit: 100 }, 5);
    const told = await pages.page('everybody', search, { limit: 100 });
    expect([told.sums, told.steps.length]).toEqual([own.sums, own.steps.length]);
  }
});
