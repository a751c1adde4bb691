/** The data of the overview's charts: a range in steps, with the values of the ledger and the record. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { outcomesByHour } from '../../../src-main/core/activity/call-charts.ts';
import { toRow } from '../../../src-main/core/activity/call-record.ts';
import { insertCall } from '../../../src-main/core/activity/activity-worker/call-table.ts';
import { buildReport } from '../../../src-main/core/activity/ledger/ledger.ts';
import { addRows, sumLedger } from '../../../src-main/core/activity/ledger/ledger-table.ts';
import { formatDay, startOfHour, hourOffsetMs } from '../../../src-main/core/activity/local-time.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import { dispatchRpc } from '../../../src-main/rpc/dispatch-rpc.ts';
import type { Charts, SavingsPeriod } from '../../../src-main/rpc/contract.ts';
import { noApps } from '../../../src-main/rpc/deps.ts';
import { drawCharts, rangeOf } from '../../../src-main/rpc/handlers/charts.ts';
import { savingsPeriods } from '../../../src-main/rpc/state/savings-overview.ts';
import { call, inDatabase } from '../../core/activity/fixture.ts';
import { inZone } from '../../support/in-zone.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

async function charts({ host }: TestCore, period: SavingsPeriod): Promise<Charts> {
  const deps = {
    ...host.core,
    addresses: () => host.addresses,
    stop: () => undefined,
    desktop: undefined,
    apps: noApps,
  };
  return (await dispatchRpc('charts', { period }, deps, new AbortController().signal)) as unknown as Charts;
}

const noon = new Date(2026, 10, 23, 12).getTime();
const day = 86_400_000;

test.each([
  ['today', undefined, 'hour', 24],
  ['week', undefined, 'day', 7],
  ['month', undefined, 'day', 30],
  ['all', noon - 40 * day, 'day', 41],
  ['all', noon - 200 * day, 'week', 28],
  ['all', noon - 4000 * day, 'week', 110],
  ['all', undefined, 'day', 7],
] as const)('charts %s, from %s on, by the %s in %d steps', (period, first, step, length) => {
  const range = rangeOf(period, noon, first);
  expect([range.step, range.starts.length]).toEqual([step, length]);
  expect(range.starts.toSorted((a, b) => a - b)).toEqual(range.starts);
  expect(range.until).toBe(new Date(2026, 10, 24).getTime());
});

test.each([
  // Days after clocks went forward, at midnight itself, or back; the hours before and after midnight; half and quarter
  // hours.
  ['America/Santiago', '2026-09-09T12:00:00-03:00'],
  ['Africa/Cairo', '2027-05-01T00:10:00+03:00'],
  ['America/Havana', '2026-11-03T12:00:00-05:00'],
  ['Europe/Berlin', '2026-10-27T23:50:00+01:00'],
  ['Europe/Berlin', '2027-03-30T00:10:00+02:00'],
  ['Australia/Lord_Howe', '2026-10-07T12:00:00+11:00'],
  ['Asia/Kathmandu', '2027-01-01T00:05:00+05:45'],
  ['Pacific/Apia', '2028-02-29T12:00:00+13:00'],
])('in %s at %s starts each step of a range with a day, and the headlines with the charts', (zone, at) =>
  inZone(zone, Date.parse(at), () => {
    const now = Date.parse(at);
    const ranges = (['today', 'week', 'month'] as const).map((period) => rangeOf(period, now, undefined));
    for (const { starts, step, until } of ranges) {
      const days = step === 'hour' ? starts.slice(0, 1) : starts;
      expect([...days, until].filter((begin) => formatDay(begin) === formatDay(begin - 1))).toEqual([]);
    }
    expect(ranges.map(({ starts }) => new Set(starts.map(formatDay)).size)).toEqual([1, 7, 30]);
    const { today, week, month } = savingsPeriods(now);
    expect([today, week, month]).toEqual(ranges.map(({ starts }) => starts[0]));
  }),
);

test.each([
  ['Asia/Kolkata', '2026-11-24T00:10:00+05:30'],
  ['Asia/Kathmandu', '2026-11-24T00:10:00+05:45'],
  ['Africa/Cairo', '2027-04-30T01:10:00+03:00'],
  ['Etc/GMT+2', '2026-11-24T00:10:00-02:00'],
])(
  'in %s what was called shortly after midnight is in the first hour of today, and what was before is not',
  (zone, at) =>
    inZone(zone, Date.parse(at), async () => {
      const now = Date.parse(at);
      const folder = mkdtempSync(join(tmpdir(), 'tooltray-charts-'));
      const file = join(folder, 'activity.db');
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const who = { session: 's', app: 'a', mode: 'proxy', server: 'x', tool: 'y', cause: 'results' } as const;
      const figures = { times: 1, sent: 1, loaded: 1, baseline: 10, raw: 10, estimated: 0 };
      for (const time of [now - 3_600_000, now]) {
        inDatabase(file, (database) => {
          insertCall(database, toRow(call({ startedAt: time }), new Masker()), {});
          addRows(database, [{ ...who, ...figures, hour: startOfHour(time) }]);
        });
      }
      const drawn = (period: SavingsPeriod): Promise<Charts> =>
        drawCharts(period, {
          savings: async ({ since = 0, by }) =>
            buildReport(
              inDatabase(file, (database) => sumLedger(database, { since, by }, now)),
              by,
            ),
          outcomes: async (since) =>
            inDatabase(file, (database) => outcomesByHour(database, since, hourOffsetMs(since))),
          latencies: async () => ({ servers: [], measured: 0 }),
          marks: async () => [],
        });
      const told = ({ steps }: Charts): unknown => steps.map(({ ok, withoutTooltray }) => [ok, withoutTooltray]);
      const nothing = (steps: number): unknown[] => Array.from({ length: steps }, () => [0, 0]);
      const today = await drawn('today');
      expect(told(today)).toEqual([[1, 10], ...nothing(today.steps.length - 1)]);
      expect(told(await drawn('week'))).toEqual([...nothing(5), [1, 10], [1, 10]]);
      expect(told(await drawn('month'))).toEqual([...nothing(28), [1, 10], [1, 10]]);
    }),
);

test('the steps match the savings and the record, and mark a change of the mode', async () => {
  const servers = { files: fixture('eight-tools', 'files') };
  await using core = await startCore({ servers, mode: 'proxy' });
  const client = await core.open({}, { app: 'Some App' });
  await client.request('tools/list');
  await client.callTool('files_read_file', { path: '/a' });
  await core.write({ servers, mode: 'search' });
  const { host } = core;
  await vi.waitFor(async () => expect((await charts(core, 'week')).marks).toHaveLength(2), 30_000);
  await core.write({ servers, mode: 'search', appModes: { cursor: 'code' } });
  await vi.waitFor(async () => expect((await charts(core, 'week')).marks).toHaveLength(3), 30_000);
  await core.write({ servers, mode: 'search' });
  await vi.waitFor(async () => expect((await charts(core, 'week')).marks).toHaveLength(4), 30_000);
  const { baseline, results, spent, given, readBack } = (await host.core.activity.ledger.savings()).total;
  for (const period of ['today', 'week', 'month', 'all'] as const) {
    const { steps, servers: took, measured, isCut, marks } = await charts(core, period);
    const sum = (of: (step: Charts['steps'][number]) => number): number =>
      steps.reduce((total, step) => total + of(step), 0);
    expect([
      sum(({ withoutTooltray }) => withoutTooltray),
      sum((step) => step.withTooltray),
      sum(({ ok }) => ok),
    ]).toEqual([baseline + results, spent + given + readBack, 1]);
    expect([took.map(({ server, calls }) => [server, calls]), measured, isCut]).toEqual([[['files', 1]], 1, false]);
    expect(marks.map(({ kind }) => kind)).toEqual(['start', 'mode', 'mode', 'mode']);
    expect(marks.slice(1).map(({ what }) => what)).toEqual(['search', 'code for Cursor', 'search for Cursor']);
  }
});
