/** What the charts of the overview are drawn from: a range in steps, and in them what the ledger and the record hold. */
import { expect, test, vi } from 'vitest';
import { answerRpc } from '../../../src-main/rpc/answer-rpc.ts';
import type { Charts, SavingsPeriod } from '../../../src-main/rpc/contract.ts';
import { noApps } from '../../../src-main/rpc/deps.ts';
import { rangeOf } from '../../../src-main/rpc/handlers/charts.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

async function charts({ host }: TestCore, period: SavingsPeriod): Promise<Charts> {
  const deps = { core: host.core, doors: () => host.doors, stop: () => undefined, desktop: undefined, apps: noApps };
  return (await answerRpc('charts', { period }, deps, new AbortController().signal)) as unknown as Charts;
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
] as const)('%s, from %s on, is told by the %s in %d steps', (period, first, step, length) => {
  const range = rangeOf(period, noon, first);
  expect([range.step, range.starts.length]).toEqual([step, length]);
  expect(range.starts.toSorted((a, b) => a - b)).toEqual(range.starts);
  expect(range.until).toBe(new Date(2026, 10, 24).getTime());
});

test('the steps hold what the savings and the record hold, and a change of the mode is marked', async () => {
  const servers = { files: fixture('eight-tools', 'files') };
  await using core = await startCore({ servers, mode: 'proxy' });
  const client = await core.open({}, { app: 'Some App' });
  await client.request('tools/list');
  await client.callTool('files_read_file', { path: '/a' });
  await core.write({ servers, mode: 'search' });
  const { host } = core;
  await vi.waitFor(async () => expect((await charts(core, 'week')).marks).toHaveLength(2), 10_000);
  await core.write({ servers, mode: 'search', appModes: { cursor: 'code' } });
  await vi.waitFor(async () => expect((await charts(core, 'week')).marks).toHaveLength(3), 10_000);
  await core.write({ servers, mode: 'search' });
  await vi.waitFor(async () => expect((await charts(core, 'week')).marks).toHaveLength(4), 10_000);
  const { baseline, answers, spent, given, readBack } = (await host.core.ledger.savings()).total;
  for (const period of ['today', 'week', 'month', 'all'] as const) {
    const { steps, servers: took, measured, isCut, marks } = await charts(core, period);
    const sum = (of: (step: Charts['steps'][number]) => number): number =>
      steps.reduce((total, step) => total + of(step), 0);
    expect([sum(({ without }) => without), sum((step) => step.with), sum(({ ok }) => ok)]).toEqual([
      baseline + answers,
      spent + given + readBack,
      1,
    ]);
    expect([took.map(({ server, calls }) => [server, calls]), measured, isCut]).toEqual([[['files', 1]], 1, false]);
    expect(marks.map(({ kind }) => kind)).toEqual(['start', 'mode', 'mode', 'mode']);
    expect(marks.slice(1).map(({ what }) => what)).toEqual(['search', 'code for Cursor', 'search for Cursor']);
  }
});
