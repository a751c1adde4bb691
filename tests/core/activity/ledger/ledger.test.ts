/** Whole sessions: what they would have cost, what they cost, and what is stored of that. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import type { SavingsReport } from '../../../../src-main/core/activity/ledger/ledger-table.ts';
import { formatDay } from '../../../../src-main/core/activity/local-time.ts';
import { toLine } from '../../../../src-main/core/activity/ledger/baseline.ts';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import { createSpillInfo, spillMetaKey } from '../../../../src-main/core/spills/spill.ts';
import { openStore } from '../../spills/spill-fixture.ts';
import { exchange, openLedger, server, session } from './open-ledger.ts';

const hour = 3_600_000;
const day = 24 * hour;

function tokens(payload: unknown): number {
  return encode(typeof payload === 'string' ? payload : JSON.stringify(payload)).length;
}

function tool(name: string): JsonObject {
  return {
    name,
    description: `${name} does one thing, and does it well.\nMore about ${name} on a second line.`,
    inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'Where it lies.' } } },
  };
}

const [read, write] = [tool('read_file'), tool('write_file')];
const helper = tool('search_tools');

function cause(report: SavingsReport, key: string): SavingsReport['rows'][number] | undefined {
  return report.rows.find((row) => row.key === key);
}

test("compares the servers' lists and instructions with Tooltray's", async () => {
  await using open = openLedger();
  open.servers = [server('files', [read, write], 'Read before you write.')];
  const line = session(open.ledger);
  const introduction = { instructions: 'Search first.', capabilities: {} };
  exchange(line, 'initialize', {}, introduction);
  exchange(line, 'tools/list', {}, { tools: [helper] });
  const report = await open.ledger.savings();
  expect(cause(report, 'lists')).toMatchObject({
    baseline: tokens({ tools: [read, write] }),
    spent: tokens({ tools: [helper] }),
    sent: tokens({ tools: [helper] }),
  });
  expect(cause(report, 'instructions')).toMatchObject({
    baseline: tokens('Read before you write.'),
    spent: tokens(introduction),
  });
  expect(report.total.net).toBe(
    tokens({ tools: [read, write] }) +
      tokens('Read before you write.') -
      tokens({ tools: [helper] }) -
      tokens(introduction),
  );
});

test('counts nothing for a session without requests', async () => {
  await using open = openLedger();
  open.servers = [server('files', [read])];
  const line = session(open.ledger);
  open.ledger.serversChanged();
  line.end();
  expect((await open.ledger.savings()).rows).toEqual([]);
});

test('counts a server that is added while a session is open', async () => {
  await using open = openLedger();
  open.servers = [server('files', [read])];
  const [open1, ended] = [session(open.ledger), session(open.ledger, { id: 's2' })];
  for (const line of [open1, ended]) exchange(line, 'tools/list', {}, { tools: [helper] });
  ended.end();
  open.servers = [...open.servers, server('web', [write])];
  open.ledger.serversChanged();
  const report = await open.ledger.savings({ by: 'server' });
  expect(report.rows.map(({ key, baseline }) => [key, baseline])).toEqual([
    ['files', 2 * tokens({ tools: [read] })],
    ['web', tokens({ tools: [write] })],
    ['', 0],
  ]);
});

test('counts a line per tool and a definition with its first call, for an app that defers tools', async () => {
  await using open = openLedger();
  open.servers = [server('files', [read, write])];
  const listed = [
    { ...read, name: 'files_read_file' },
    { ...write, name: 'files_write_file' },
  ];
  const line = session(open.ledger, { app: 'deferring', mode: 'proxy' });
  exchange(line, 'tools/list', {}, { tools: listed });
  const answer = { content: [{ type: 'text', text: 'the file' }] };
  const call = {
    server: 'files',
    tool: 'read_file',
    via: undefined,
    result: answer,
    given: answer,
    outcome: 'ok',
  } as const;
  for (let n = 0; n < 2; n++) exchange(line, 'tools/call', { name: 'files_read_file' }, answer, [call]);
  const report = await open.ledger.savings();
  expect(cause(report, 'lists')).toMatchObject({
    baseline: tokens([read, write].map(toLine).join('\n')) + tokens(read),
    spent: tokens(listed.map(toLine).join('\n')) + tokens(listed[0]),
    sent: tokens({ tools: listed }),
  });
});

test('reports a negative net and how many searches break even', async () => {
  await using open = openLedger();
  open.servers = [server('files', [read])];
  const line = session(open.ledger);
  exchange(line, 'tools/list', {}, { tools: [] });
  const found = { content: [{ type: 'text', text: JSON.stringify(read) }] };
  for (let n = 0; n < 3; n++) exchange(line, 'tools/call', { name: 'search_tools', arguments: {} }, found);
  const { total, breakEven } = await open.ledger.savings();
  expect(total.net).toBe(tokens({ tools: [read] }) - tokens({ tools: [] }) - 3 * tokens(found));
  expect(total.net).toBeLessThan(0);
  expect(breakEven).toEqual({ reached: false, searches: 3, affordable: 0 });
});

test('counts a spill: the server result, what was returned to the model, and what was read back', async () => {
  await using open = openLedger();
  const line = session(open.ledger);
  const result = { content: [{ type: 'text', text: 'line after line '.repeat(500) }] };
  const given = { content: [{ type: 'text', text: 'Kept on disk: 500 lines.' }] };
  const part = { content: [{ type: 'text', text: 'line after line' }] };
  const call = { server: 'files', tool: 'read', via: 'call_tool', result, given, outcome: 'ok' } as const;
  exchange(line, 'tools/call', { name: 'call_tool', arguments: {} }, given, [call]);
  exchange(line, 'tools/call', { name: 'read_result', arguments: {} }, part);
  exchange(line, 'resources/read', { uri: 'tooltray://spill/x' }, part);
  const { total } = await open.ledger.savings();
  expect(total).toMatchObject({ raw: tokens(result), given: tokens(given), readBack: 2 * tokens(part), calls: 1 });
  expect(total.net).toBe(tokens(result) - tokens(given) - 2 * tokens(part));
});

test('claims no savings for a spilled picture, since its cost depends on the model', async () => {
  await using open = openLedger();
  await using spills = await openStore();
  const line = session(open.ledger);
  const picture = { type: 'image', mimeType: 'image/png', data: Buffer.alloc(50_000, 'png').toString('base64') };
  const result = { content: [{ type: 'text', text: 'a map' }, picture] };
  const origin = { owner: '', sessionId: 's', app: 'a', server: 'files', tool: 'map' };
  const kept = await spills.store.spill(result, origin, 'text');
  const given = {
    content: [...kept.inline],
    _meta: { [spillMetaKey]: createSpillInfo(kept, { exceeded: undefined }) },
  };
  exchange(line, 'tools/call', { name: 'files_map' }, given, [
    { server: 'files', tool: 'map', via: undefined, result, given, outcome: 'ok' },
  ]);
  const { total } = await open.ledger.savings();
  expect(total).toMatchObject({ raw: kept.resultTokens, given: tokens(given) });
  expect([total.net <= 0, total.estimatedShare > 0]).toEqual([true, true]);
});

const rows = Array.from({ length: 40 }, (_, at) => ({ id: at, title: `Issue number ${at}` }));
const twice = {
  content: [{ type: 'text', text: JSON.stringify({ rows }, undefined, 2) }],
  structuredContent: { rows },
};

test.each([
  ['text', 'an app', { content: twice.content }],
  ['structured', 'structured', { content: [], structuredContent: twice.structuredContent }],
])('counts a result that is sent twice once, as %s if the app reads that', async (_what, app, once) => {
  await using open = openLedger();
  const line = session(open.ledger, { app });
  const given = { content: [{ type: 'text', text: 'Kept on disk.' }] };
  const call = { server: 'files', tool: 'rows', via: undefined, outcome: 'ok' as const, result: twice };
  exchange(line, 'tools/call', { name: 'files_rows' }, given, [{ ...call, given }]);
  const { total } = await open.ledger.savings();
  expect(total).toMatchObject({
    raw: tokens({ content: twice.content }),
    results: tokens(once),
    net: tokens(once) - tokens(given),
  });
  // Returned unchanged, it saves nothing.
  exchange(line, 'tools/call', { name: 'files_rows' }, twice, [{ ...call, given: twice }]);
  const both = (await open.ledger.savings()).total;
  expect([both.net, both.given - total.given, both.sent - total.sent]).toEqual([
    total.net,
    tokens(once),
    tokens(twice),
  ]);
});

test('counts a text that differs from the structured content beside it', async () => {
  await using open = openLedger();
  const line = session(open.ledger);
  const result = { ...twice, content: [{ type: 'text', text: 'Forty issues were found, all of them open.' }] };
  exchange(line, 'tools/call', { name: 'files_rows' }, result, [
    { server: 'files', tool: 'rows', via: undefined, outcome: 'ok', result, given: result },
  ]);
  expect((await open.ledger.savings()).total).toMatchObject({ raw: tokens(result), results: tokens(result), net: 0 });
});

test('counts at most what the app would have read of a result, and reports what was sent', async () => {
  await using open = openLedger();
  const long = { content: [{ type: 'text', text: 'line after line '.repeat(60_000) }] };
  const given = { content: [{ type: 'text', text: 'Kept on disk.' }] };
  const call = { server: 'files', tool: 'log', via: undefined, outcome: 'ok' as const, result: long, given };
  const [window, cutting] = [session(open.ledger), session(open.ledger, { id: 's2', app: 'cutting' })];
  for (const line of [window, cutting]) exchange(line, 'tools/call', { name: 'files_log' }, given, [call]);
  const { rows: sums } = await open.ledger.savings({ by: 'app' });
  const of = (app: string): SavingsReport['rows'][number] | undefined => sums.find(({ key }) => key === app);
  expect(of('test-app')).toMatchObject({ raw: tokens(long), results: 128_000, net: 128_000 - tokens(given) });
  const share = 2000 / Buffer.byteLength(JSON.stringify(long));
  expect(of('cutting')).toMatchObject({ raw: tokens(long), results: Math.round(tokens(long) * share) });
});

test('counts a result behind a handle with the request that fetches it', async () => {
  await using open = openLedger();
  const line = session(open.ledger);
  const handle = { content: [{ type: 'text', text: 'Still running: h1.' }] };
  const answer = { content: [{ type: 'text', text: 'done at last' }] };
  const slow = exchange(line, 'tools/call', { name: 'files_slow' }, handle);
  slow.addCall({
    server: 'files',
    tool: 'slow',
    via: undefined,
    result: answer,
    given: answer,
    outcome: 'ok',
  } as const);
  exchange(line, 'tools/call', { name: 'await_result', arguments: { handle: 'h1' } }, answer);
  const report = await open.ledger.savings();
  expect([cause(report, 'helpers')?.spent, cause(report, 'results')]).toMatchObject([
    tokens(handle),
    { raw: tokens(answer), given: tokens(answer) },
  ]);
});

test('counts a result later, and only for the request that returned it', async () => {
  await using open = openLedger();
  const line = session(open.ledger);
  const answer = { content: [{ type: 'text', text: 'done at last' }] };
  const pending = { content: [{ type: 'text', text: 'Still running: h1.' }] };
  const fetch = (result: JsonObject): void => {
    open.now += 1000;
    exchange(line, 'tools/call', { name: 'await_result', arguments: { handle: 'h1' } }, result);
  };
  const slow = exchange(line, 'tools/call', { name: 'files_slow' }, pending);
  fetch(pending);
  slow.addCall({
    server: 'files',
    tool: 'slow',
    via: undefined,
    result: answer,
    given: answer,
    outcome: 'ok',
  } as const);
  fetch(answer);
  const { rows } = await open.ledger.savings({ by: 'tool' });
  expect(rows.filter(({ raw }) => raw > 0)).toMatchObject([
    { key: 'files:slow', raw: tokens(answer), given: tokens(answer) },
  ]);
});

test('counts each of several calls of one request', async () => {
  await using open = openLedger();
  const line = session(open.ledger);
  const answers = ['one', 'two', 'three'].map((text) => ({ content: [{ type: 'text', text }] }));
  const calls = answers.map(
    (result, at) =>
      ({ server: 'files', tool: `tool${at}`, via: 'execute', result, given: result, outcome: 'ok' }) as const,
  );
  exchange(line, 'tools/call', { name: 'execute', arguments: { code: '…' } }, { content: [] }, calls);
  const { rows } = await open.ledger.savings({ by: 'tool' });
  expect(rows.map(({ raw }) => raw).toSorted((a, b) => a - b)).toEqual(answers.map(tokens).toSorted((a, b) => a - b));
});

test('stores recent figures by hour and older ones by day, and filters them by time', async () => {
  await using open = openLedger();
  const line = session(open.ledger);
  const result = { ok: true };
  const start = open.now;
  for (const age of [20 * day, 3 * hour, 0]) {
    open.now = start - age;
    exchange(line, 'resources/read', { uri: 'x:y' }, result);
    await open.ledger.savings();
  }
  const sent = async (since?: number): Promise<number> => (await open.ledger.savings({ since })).total.sent;
  expect([await sent(), await sent(start - day), await sent(start - hour)]).toEqual(
    [3, 2, 1].map((times) => times * tokens(result)),
  );
  const days = (await open.ledger.savings({ by: 'day' })).rows.map(({ key }) => key);
  expect(days).toEqual([formatDay(start - 20 * day), formatDay(start)]);
});

test.each([
  ['what a user tries by hand', { app: 'by hand' }],
  ['what Tooltray tries in the name of an app', { app: 'an app', client: 'by hand' }],
])('does not count %s', async (_what, facts) => {
  await using open = openLedger();
  const line = session(open.ledger, facts);
  exchange(line, 'tools/list', {}, { tools: [{ name: 'a' }] });
  exchange(line, 'tools/call', { name: 'a' }, { content: [] });
  expect((await open.ledger.savings()).rows).toEqual([]);
});

test('adds to its totals across a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-kept-'));
  for (let n = 0; n < 2; n++) {
    await using open = openLedger({}, folder);
    exchange(session(open.ledger), 'ping', {}, { ok: true });
  }
  await using open = openLedger({}, folder);
  expect((await open.ledger.savings()).total.sent).toBe(2 * tokens({ ok: true }));
  rmSync(folder, { recursive: true });
});

test('keeps its tables bounded by deleting the oldest rows', async () => {
  await using open = openLedger({ maxBytes: 1 });
  const start = open.now;
  for (let n = 0; n < 60; n++) {
    open.now = start + n * hour;
    for (let m = 0; m < 10; m++)
      exchange(session(open.ledger, { id: `${n}.${m}`, app: `app ${n}.${m}` }), 'ping', {}, {});
    await open.ledger.savings();
  }
  const counted = await open.activity.ask(
    'sql',
    ['ledgerHours', 'ledgerDays'].map((table) => ({ sql: `SELECT count(*) AS n FROM ${table}` })),
  );
  const rows = counted.map(([row]) => Number(row?.['n']));
  // Trimmed with every 50th write.
  expect(Math.max(...rows)).toBeLessThanOrEqual(200 + 50 * 10);
  expect(Math.min(...rows)).toBeGreaterThan(0);
});

test('retains entries that cannot be written, and writes them once it can', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-blocked-'));
  // A folder in place of the file.
  mkdirSync(join(folder, 'activity.db'));
  await using open = openLedger({}, folder);
  exchange(session(open.ledger), 'ping', {}, { ok: true });
  await expect(open.ledger.savings()).rejects.toThrow();
  rmSync(join(folder, 'activity.db'), { recursive: true });
  expect((await open.ledger.savings()).total.sent).toBe(tokens({ ok: true }));
  rmSync(folder, { recursive: true });
});

test('masks and shortens names before it stores them', async () => {
  await using open = openLedger();
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  exchange(session(open.ledger, { app: `app ${secret} ${'x'.repeat(1000)}` }), 'ping', {}, {});
  const [row] = (await open.ledger.savings({ by: 'app' })).rows;
  expect(row?.key).not.toContain(secret);
  expect(row?.key.length).toBeLessThanOrEqual(300);
});

test('writes entries that are still being counted when it closes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-closed-'));
  {
    await using open = openLedger({}, folder);
    const line = session(open.ledger);
    for (let n = 0; n < 500; n++) exchange(line, 'ping', {}, { n: 'some words' });
  }
  await using again = openLedger({}, folder);
  expect((await again.ledger.savings()).total.sent).toBe(500 * tokens({ n: 'some words' }));
  rmSync(folder, { recursive: true });
});
