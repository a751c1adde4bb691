/** A result has the same size and token count wherever it is shown: those of the server's result. */
import { expect, test, vi } from 'vitest';
import { formatNumber, formatBytes } from '../../src-main/core/base/text-format.ts';
import { reportLines } from '../../src-main/cli/commands/stats.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import type { CallDetail, RpcMethod, RpcMethods } from '../../src-main/rpc/contract.ts';
import { noApps } from '../../src-main/rpc/deps.ts';
import { HttpClient } from '../support/http-client.ts';
import type { Params } from '../support/raw-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { tokensOf } from './wire-tokens.ts';

const servers = { x: fixture('compat-results') };

function ask<M extends RpcMethod>(
  { host }: TestCore,
  method: M,
  input: RpcMethods[M]['input'],
): Promise<RpcMethods[M]['output']> {
  const deps = {
    ...host.core,
    addresses: () => host.addresses,
    stop: () => undefined,
    desktop: undefined,
    apps: noApps,
  };
  return dispatchRpc(method, input, deps, new AbortController().signal);
}

interface Size {
  readonly bytes: number;
  readonly tokens: number;
}

/** Requested at the server's own endpoint, which passes everything unchanged. */
async function asSent(core: TestCore, tool: string): Promise<{ payload: Size; whole: Size }> {
  const direct = new HttpClient(`${core.url}/server/x`);
  await direct.initialize();
  const { line } = await direct.exchange('tools/call', { name: tool, arguments: {} });
  const { result } = JSON.parse(line) as { result: Params };
  const [payload, whole] = [textOf(result), JSON.stringify(result)];
  return {
    payload: { bytes: Buffer.byteLength(payload), tokens: tokensOf(payload) },
    whole: { bytes: Buffer.byteLength(whole), tokens: tokensOf(whole) },
  };
}

/** The record of an app's last call, once its tokens are counted. */
function recordOf(core: TestCore, app: string): Promise<CallDetail> {
  return vi.waitFor(async () => {
    const [last] = (await ask(core, 'activity', { app, limit: 1 })).calls;
    expect(last?.tokens.serverResult).toBeDefined();
    return ask(core, 'callDetail', { id: last?.id ?? 0 });
  }, 30_000);
}

test.each([
  ['the limit of the app', {}],
  ['a limit of the user', { threshold: 1000 }],
  ['TOON, which is another text', { toon: true, threshold: 1000 }],
])('counts a spilled result the same everywhere, with %s', async (_what, results) => {
  await using core = await startCore({ servers, results });
  const { payload: sent } = await asSent(core, 'big');
  const client = await core.open({}, { app: 'walker', mode: 'proxy' });
  const given = await client.callTool('x_big');
  const call = await recordOf(core, 'walker');
  const { spills } = await ask(core, 'spills', {});
  const report = await ask(core, 'savings', { by: 'tool', app: 'walker' });
  const row = report.rows.find(({ key }) => key === 'x:big');
  const facts = (given['_meta'] as Record<string, { resultBytes: number; resultTokens: number }>)['tooltray/spill'];
  expect({
    record: [call.bytes.serverResult, call.tokens.serverResult],
    kept: spills.map(({ sentBytes, sentTokens }) => [sentBytes, sentTokens]),
    model: [facts?.resultBytes, facts?.resultTokens],
    ledger: row?.raw,
  }).toEqual({
    record: [sent.bytes, sent.tokens],
    kept: [[sent.bytes, sent.tokens]],
    model: [sent.bytes, sent.tokens],
    ledger: sent.tokens,
  });
  expect(textOf(given)).toContain(
    `The result of x:big, ${formatBytes(sent.bytes)}, ${formatNumber(sent.tokens)} tokens, is stored in full on disk`,
  );
  // The file has a different size, with its own name.
  const [file] = spills;
  expect(file?.bytes).not.toBe(sent.bytes);
  expect(textOf(given)).toContain(`file of ${formatBytes(file?.bytes ?? 0)}`);
  expect(reportLines(report).join('\n')).toContain(sent.tokens.toLocaleString('en-US'));
});

test('counts a whole result the same in the record and the ledger, and says why it passed', async () => {
  await using core = await startCore({ servers, results: { threshold: 0 } });
  const { whole: sent, payload } = await asSent(core, 'big');
  const client = await core.open({}, { app: 'walker', mode: 'proxy' });
  await client.callTool('x_big');
  const call = await recordOf(core, 'walker');
  const { rows } = await ask(core, 'savings', { by: 'tool', app: 'walker' });
  expect([call.bytes.serverResult, call.tokens.serverResult, call.tokens.modelResult, call.unspilled?.reason]).toEqual([
    payload.bytes,
    sent.tokens,
    sent.tokens,
    'off',
  ]);
  expect(rows.find(({ key }) => key === 'x:big')).toMatchObject({ raw: sent.tokens, net: 0 });
});

test('counts once what a whole result contains twice, in sizes and tokens', async () => {
  await using core = await startCore({ servers: { s: fixture('sized') }, results: { threshold: 0 } });
  const client = await core.open({}, { app: 'walker', mode: 'proxy' });
  const given = await client.callTool('give', { kind: 'twice', bytes: 60_000 });
  const text = textOf(given);
  const { structuredContent: _same, ...once } = given;
  const call = await recordOf(core, 'walker');
  expect([call.bytes.serverResult, call.bytes.modelResult]).toEqual([Buffer.byteLength(text), Buffer.byteLength(text)]);
  expect([call.tokens.serverResult, call.tokens.modelResult]).toEqual([
    tokensOf(JSON.stringify(once)),
    tokensOf(JSON.stringify(once)),
  ]);
  const { rows } = await ask(core, 'savings', { by: 'tool', app: 'walker' });
  expect(rows.find(({ key }) => key === 's:give')).toMatchObject({ raw: call.tokens.serverResult, net: 0 });
});

/** The step of an app's last call. */
async function stepOf(core: TestCore): Promise<{ readonly modelBytes: number }> {
  const { steps } = await ask(core, 'steps', { limit: 50 });
  const [step] = steps.filter(({ kind }) => kind === 'call');
  if (step === undefined) throw new Error('no step of a call');
  return step;
}

test.each([
  ['over 1 MB', 500_000],
  ['over 8 MB', 3_000_000],
])('counts a result of %s that contains all twice by its payload when it passes whole', async (_what, bytes) => {
  await using core = await startCore({ servers: { s: fixture('sized') }, results: { threshold: 0 } });
  const client = await core.open({}, { app: 'walker', mode: 'proxy' });
  const given = await client.callTool('give', { kind: 'twice', bytes });
  const payload = Buffer.byteLength(textOf(given));
  const call = await recordOf(core, 'walker');
  const { rows } = await ask(core, 'savings', { by: 'tool', app: 'walker' });
  expect({
    bytes: [call.bytes.serverResult, call.bytes.modelResult, (await stepOf(core)).modelBytes],
    unspilled: call.unspilled?.reason,
    ledger: rows.find(({ key }) => key === 's:give'),
  }).toEqual({
    bytes: [payload, payload, payload],
    unspilled: 'off',
    ledger: expect.objectContaining({ raw: call.tokens.serverResult, net: 0 }) as unknown,
  });
  // The rows are uniform, so the first 100 kB are representative; quotes are escaped in the JSON of the result.
  const start = JSON.stringify(textOf(given).slice(0, 100_000));
  const expected = (tokensOf(start) * payload) / 100_000;
  expect(call.tokens.serverResult).toBeGreaterThan(expected * 0.95);
  expect(call.tokens.serverResult).toBeLessThan(expected * 1.05);
});

test.each([60_000, 800_000])('counts a spilled result of %d bytes that contains all twice once', async (bytes) => {
  await using core = await startCore({ servers: { s: fixture('sized') }, results: { threshold: 1000 } });
  const direct = new HttpClient(`${core.url}/server/s`);
  await direct.initialize();
  const { line } = await direct.exchange('tools/call', { name: 'give', arguments: { kind: 'twice', bytes } });
  const payload = Buffer.byteLength(textOf((JSON.parse(line) as { result: Params }).result));
  const client = await core.open({}, { app: 'walker', mode: 'proxy' });
  const given = await client.callTool('give', { kind: 'twice', bytes });
  const call = await recordOf(core, 'walker');
  const { spills } = await ask(core, 'spills', {});
  const facts = (given['_meta'] as Record<string, { resultBytes: number; resultTokens: number }>)['tooltray/spill'];
  expect([call.bytes.serverResult, facts?.resultBytes, spills[0]?.sentBytes]).toEqual([payload, payload, payload]);
  expect([facts?.resultTokens, spills[0]?.sentTokens]).toEqual([call.tokens.serverResult, call.tokens.serverResult]);
});

test('compares the payload of a result over 1 MB with the limit that it passed', async () => {
  await using core = await startCore({ servers: { s: fixture('sized') }, results: { threshold: 1_000_000 } });
  const client = await core.open({}, { app: 'walker', mode: 'proxy' });
  const given = await client.callTool('give', { kind: 'twice', bytes: 500_000 });
  const call = await recordOf(core, 'walker');
  expect([call.bytes.modelResult, call.unspilled]).toEqual([
    Buffer.byteLength(textOf(given)),
    { reason: 'below', limitBytes: 1_000_000 },
  ]);
});

test.each([
  ['claude-code', { reason: 'below', limitBytes: 1_000_000 }],
  ['someone', undefined],
])('records why a result of 80 kB was returned to %s whole', async (app, unspilled) => {
  await using core = await startCore({ servers });
  const client = await core.open({}, { app, mode: 'proxy' });
  await client.callTool('x_big');
  expect((await recordOf(core, app)).unspilled).toEqual(unspilled);
});

test('records that a large result passed because of the endpoint of one server', async () => {
  await using core = await startCore({ servers });
  await asSent(core, 'big');
  const { calls } = await ask(core, 'activity', {});
  expect(calls.map(({ unspilled }) => unspilled?.reason)).toEqual(['server']);
});

test('counts no calls by the user as savings, however they connected', async () => {
  await using core = await startCore({ servers });
  await ask(core, 'call', { tool: 'x:big', arguments: {} });
  for (const app of ['You', 'tooltray', 'mcp-inspector', 'MCPorter']) {
    const client = await core.open({}, { app });
    await client.request('tools/list');
    await client.callTool('x_big');
  }
  const named = await core.connect({ app: 'Cursor' });
  const clientInfo = { name: 'inspector-client', version: '1' };
  await named.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  named.notify('notifications/initialized');
  await named.request('tools/list');
  const { rows, total } = await ask(core, 'savings', { by: 'app' });
  expect([rows, total.sent]).toEqual([[], 0]);
  expect((await ask(core, 'activity', {})).total).toBe(5);
});
