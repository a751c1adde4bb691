/** Savings as the core and the command line report them. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseSince, readUntil } from '../../../src-main/cli/command.ts';
import { reportLines } from '../../../src-main/cli/commands/stats.ts';
import { dispatchRpc } from '../../../src-main/rpc/dispatch-rpc.ts';
import type { PricedSavings, SavingsTotals } from '../../../src-main/rpc/contract.ts';
import { noApps } from '../../../src-main/rpc/deps.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

let core: TestCore;
beforeAll(async () => {
  const servers = { files: fixture('eight-tools', 'files'), web: fixture('eight-tools', 'web') };
  core = await startCore({ servers, mode: 'search', price: { perMillionTokens: 3, currency: 'EUR' } });
});
afterAll(() => core[Symbol.asyncDispose]());

function ask(method: string, input: object): Promise<Record<string, unknown>> {
  const { host } = core;
  const deps = {
    ...host.core,
    addresses: () => host.addresses,
    stop: () => undefined,
    desktop: undefined,
    apps: noApps,
  };
  return dispatchRpc(method, input, deps, new AbortController().signal);
}

test("counts nothing while no app is served, whatever the user's client is called", async () => {
  await ask('call', { tool: 'files:read_file', arguments: { path: '/a' } });
  const report = await ask('savings', {});
  expect(report).toMatchObject({ rows: [], total: { net: 0, sent: 0, calls: 0 }, tokenizer: 'o200k_base' });
  expect(reportLines(report as unknown as PricedSavings)).toEqual(['No data for this period.']);
});

test('prices the net if the user has set a price, and returns rows for each key', async () => {
  const client = await core.open({}, { app: 'Some App' });
  await client.request('tools/list');
  await client.callTool('call_tool', { name: 'files:read_file', arguments: { path: '/a' } });
  // It responds before slow counts are finished.
  const report = await vi.waitFor(async () => {
    const told = (await ask('savings', { by: 'app' })) as unknown as PricedSavings;
    expect(told.rows.map(({ key, calls }) => [key, calls])).toEqual([['Some App', 1]]);
    return told;
  }, 50_000);
  expect(report.price).toEqual({ perMillionTokens: 3, currency: 'EUR', net: (report.total.net * 3) / 1_000_000 });
  expect(((await ask('savings', { since: Date.now() + 7_200_000 })) as unknown as PricedSavings).rows).toEqual([]);
});

test('rejects an invalid request', async () => {
  await expect(ask('savings', { by: 'weather' })).rejects.toMatchObject({ code: 'bad_request' });
  await expect(ask('savings', { since: 'yesterday' })).rejects.toMatchObject({ code: 'bad_request' });
});

const none: SavingsTotals = {
  baseline: 0,
  results: 0,
  spent: 0,
  raw: 0,
  given: 0,
  readBack: 0,
  net: 0,
  sent: 0,
  estimatedShare: 0,
  calls: 0,
};

test('reports a loss as a loss, and an estimate as an estimate', () => {
  const total = { ...none, baseline: 100, spent: 1500, net: -1400, sent: 1500, estimatedShare: 0.25 };
  const report: PricedSavings = {
    by: 'server',
    rows: [
      { key: 'files', ...none, baseline: 100, net: 100 },
      { key: '', ...none, spent: 1500, net: -1500 },
    ],
    causes: [],
    total,
    breakEven: { reached: false, searches: 4, affordable: undefined },
    tokenizer: 'o200k_base',
    assumptions: [],
  };
  expect(reportLines(report)).toEqual([
    'SERVER      BASELINE  OVERHEAD  RESULTS  RETURNED  READ BACK  SAVED   FROM SERVERS  CALLS',
    'files       100       0         0        0         0          100     0             0',
    '(tooltray)  0         1,500     0        0         0          -1,500  0             0',
    'total       100       1,500     0        0         0          -1,400  0             0',
    '',
    'Tooltray cost 1,400 tokens more than it saved. 25% estimated.',
    'No savings on lists to offset tool discovery.',
    'Counted with o200k_base. For assumptions see: tooltray stats --json',
  ]);
});

test('reports the worth of the net without a sign, and small amounts as such', () => {
  const worth = (net: number): string | undefined =>
    reportLines({
      by: 'cause',
      rows: [{ key: 'lists', ...none }],
      causes: [],
      total: { ...none, net: 1000 * Math.sign(net) },
      breakEven: { reached: net > 0, searches: 1, affordable: 3 },
      tokenizer: 'o200k_base',
      assumptions: [],
      price: { perMillionTokens: 3, currency: 'EUR', net },
    }).find((line) => line.startsWith('Tooltray'));
  expect([worth(-2.5), worth(0.003)]).toEqual([
    'Tooltray cost 1,000 tokens more than it saved, about 2.50 EUR.',
    'Tooltray saved 1,000 tokens, less than 0.01 EUR.',
  ]);
});

test('parses a past time as a span before now or a date', () => {
  const now = Date.parse('2026-11-21T12:00:00');
  expect([
    parseSince('90m', now),
    parseSince('12h', now),
    parseSince('7d', now),
    parseSince('2026-11-01', now),
  ]).toEqual([now - 5_400_000, now - 12 * 3_600_000, now - 7 * 86_400_000, Date.parse('2026-11-01T00:00:00')]);
  expect([parseSince('soon', now), parseSince('', now), parseSince('2026-13-77', now)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('parses a future time as a span from now, or a date to its end', () => {
  const now = Date.parse('2026-11-21T12:00:00');
  expect([readUntil('12h', now), readUntil('30d', now), readUntil('2026-12-31', now), readUntil('soon', now)]).toEqual([
    now + 12 * 3_600_000,
    now + 30 * 86_400_000,
    Date.parse('2027-01-01T00:00:00'),
    undefined,
  ]);
});
