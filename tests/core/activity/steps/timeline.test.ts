/** Requests and results of client apps, one step each, through whole cores. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunningStep } from '../../../../src-main/core/activity/steps/step-log.ts';
import { dispatchRpc } from '../../../../src-main/rpc/dispatch-rpc.ts';
import type { RpcMethods, StepSummary } from '../../../../src-main/rpc/contract.ts';
import { noApps } from '../../../../src-main/rpc/deps.ts';
import { HttpClient } from '../../../support/http-client.ts';
import { ModernClient } from '../../../support/modern-client.ts';
import { fixture, startCore, type StartOptions, type TestConfig, type TestCore } from '../../../support/start-core.ts';

async function coreWith(config: Partial<TestConfig>, options?: StartOptions): Promise<TestCore> {
  const core = await startCore({ servers: { echo: fixture('echo') }, ...config }, options);
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

async function ask<M extends keyof RpcMethods>(
  core: TestCore,
  method: M,
  input: RpcMethods[M]['input'],
): Promise<RpcMethods[M]['output']> {
  const addresses = (): TestCore['host']['addresses'] => core.host.addresses;
  const deps = { ...core.host.core, addresses, stop: () => undefined, desktop: undefined, apps: noApps };
  return dispatchRpc(method, input, deps, new AbortController().signal);
}

async function steps(core: TestCore, query: RpcMethods['steps']['input'] = {}): Promise<readonly StepSummary[]> {
  return (await ask(core, 'steps', query)).steps.toReversed();
}

const words = ({ kind, name, what, outcome, callCount }: StepSummary): unknown[] => [
  kind,
  name,
  what,
  outcome,
  callCount,
];

test('records a session step by step, with the calls of each step', async () => {
  const core = await coreWith({ mode: 'search' });
  const client = await core.open();
  await client.request('tools/list', {});
  await client.request('tools/call', { name: 'search_tools', arguments: { query: 'say something back' } });
  await client.request('tools/call', {
    name: 'call_tool',
    arguments: { name: 'echo_echo', arguments: { message: 'hi' } },
  });
  await client.request('tools/call', { name: 'echo_echo', arguments: { message: 'direct' } });
  await expect(client.request('tools/call', { name: 'no_such_tool', arguments: {} })).rejects.toThrow('no_such_tool');
  const found = await steps(core);
  expect(found.map(words)).toEqual([
    ['handshake', 'initialize', '', 'ok', 0],
    ['list', 'tools/list', '', 'ok', 0],
    ['search', 'search_tools', 'say something back', 'ok', 0],
    ['call', 'call_tool', 'echo_echo', 'ok', 1],
    ['call', 'echo_echo', '', 'ok', 1],
    ['call', 'no_such_tool', '', expect.stringMatching(/^(?:failed|tool_error)$/), expect.any(Number)],
  ]);
  expect(found[3]?.calls.map(({ server, tool, via }) => [server, tool, via])).toEqual([['echo', 'echo', 'call_tool']]);
  expect(found.at(-1)?.error).toContain('no_such_tool');
  expect(new Set(found.map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toSorted((a, b) => a - b));
});

test('returns requests and results byte for byte, also after a restart', async () => {
  const core = await coreWith({ mode: 'search' });
  const client = await core.open();
  const asked = { name: 'search_tools', arguments: { query: 'say something back' } };
  const given = await client.request('tools/call', asked);
  const direct = await client.request('tools/call', { name: 'echo_echo', arguments: { message: 'direct' } });
  const [, search, call] = await steps(core);
  const texts = async (from: TestCore, id = 0): Promise<unknown[]> => {
    const detail = await ask(from, 'step', { id });
    return Object.values(detail.payloads).map((text) => ('text' in text ? (JSON.parse(text.text) as unknown) : text));
  };
  expect(await texts(core, search?.id)).toEqual([asked, given]);
  expect(await texts(core, call?.id)).toEqual([{ message: 'direct' }, direct]);
  await core.host.stop();
  const later = await coreWith({ mode: 'search' }, { home: core.home });
  expect((await steps(later)).map(({ id }) => id)).toEqual((await steps(later)).map(({ id }) => id));
  expect(await texts(later, search?.id)).toEqual([asked, given]);
  expect(await texts(later, call?.id)).toEqual([{ message: 'direct' }, direct]);
});

test("returns the ledger's tokens for each step, and sums equal to those of the rows", async () => {
  const core = await coreWith({ mode: 'search' });
  const client = await core.open({}, { app: 'cursor' });
  await client.request('tools/list', {});
  await client.request('tools/call', {
    name: 'call_tool',
    arguments: { name: 'echo_echo', arguments: { message: 'hi' } },
  });
  await expect.poll(async () => (await steps(core)).every(({ given }) => given !== undefined)).toBe(true);
  const { steps: rows, sums } = await ask(core, 'steps', {});
  const sum = (of: (row: StepSummary) => number | undefined): number =>
    rows.reduce((all, row) => all + (of(row) ?? 0), 0);
  expect([sums.steps, sums.given, sums.raw]).toEqual([3, sum(({ given }) => given), sum(({ raw }) => raw)]);
  const { total } = await ask(core, 'savings', {});
  expect(total.sent).toBe(sums.given);
});

test('finds steps and calls by the text of requests and results', async () => {
  const core = await coreWith({ mode: 'search' });
  const client = await core.open();
  await client.request('tools/call', { name: 'echo_echo', arguments: { message: 'the xylophone, directly' } });
  await client.request('tools/call', {
    name: 'call_tool',
    arguments: { name: 'echo_echo', arguments: { message: 'a marimba' } },
  });
  await client.request('tools/call', { name: 'search_tools', arguments: { query: 'say something back' } });
  const names = async (text: string): Promise<string[]> => (await steps(core, { text })).map(({ name }) => name);
  expect(await names('xylo')).toEqual(['echo_echo']);
  expect(await names('marimba')).toEqual(['call_tool']);
  // Occurs only in the result of the search.
  expect(await names('no matches')).toEqual(['search_tools']);
  expect(await names('nobody said this')).toEqual([]);
  const { sums } = await ask(core, 'steps', { text: 'xylo' });
  expect(sums.steps).toBe(1);
  const { calls, total } = await ask(core, 'activity', { text: 'marimba' });
  expect([calls.map(({ via }) => via), total]).toEqual([['call_tool'], 1]);
  // Both lists show where the text occurs.
  expect(calls[0]?.snippet).toMatchObject({ match: 'marimba' });
  const [step] = await steps(core, { text: 'MARIM' });
  expect(step?.snippet?.match).toBe('marim');
  expect(`${step?.snippet?.before}|${step?.snippet?.after}`).toMatch(/a \|ba/);
  expect((await steps(core, {})).filter(({ snippet }) => snippet !== undefined)).toEqual([]);
});

test('records a call made by the user as one step with one call', async () => {
  const core = await coreWith({});
  await ask(core, 'call', { tool: 'echo:echo', arguments: { message: 'by hand' } });
  const [only] = await steps(core);
  expect(only && words(only)).toEqual(['call', 'echo', '', 'ok', 1]);
  expect(only?.calls.map(({ tool }) => tool)).toEqual(['echo']);
});

test('masks secrets in steps', async () => {
  const core = await coreWith({
    servers: { echo: { ...fixture('echo'), env: { API_KEY: 'sk-very-secret-value-123' } } },
    mode: 'search',
  });
  const client = await core.open();
  await client.request('tools/call', {
    name: 'search_tools',
    arguments: { query: 'use sk-very-secret-value-123 now' },
  });
  const rows = await steps(core);
  expect(rows.at(-1)?.what).toBe('use *** now');
  const detail = await ask(core, 'step', { id: rows.at(-1)?.id ?? 0 });
  expect(JSON.stringify(detail)).not.toContain('sk-very-secret-value-123');
});

describe('running steps', () => {
  test('can be cancelled over the stateless protocol, and return a whole result to the app', async () => {
    const core = await coreWith({ servers: { asker: fixture('asker') } });
    const client = new ModernClient(new HttpClient(core.url, true));
    const running = client.once('tools/call', { name: 'asker_slow_progress', arguments: { steps: 600, delayMs: 100 } });
    await expect.poll(() => core.host.core.activity.timeline.running.length).toBe(1);
    await ask(core, 'cancelStep', { id: core.host.core.activity.timeline.running[0]?.exchange.id ?? 0 });
    const text = expect.stringContaining('The user cancelled this in Tooltray.') as string;
    expect((await running).result).toMatchObject({ resultType: 'complete', isError: true, content: [{ text }] });
    const last = async (): Promise<StepSummary | undefined> => (await steps(core)).at(-1);
    await expect.poll(async () => (await last())?.calls[0]?.outcome).toBe('cancelled');
    // The result returned to the app, which differs from the call's.
    const { payloads } = await ask(core, 'step', { id: (await last())?.id ?? 0 });
    expect(payloads.modelResult).toMatchObject({ text });
  });

  test('keep only the last of several requests with the same id', async () => {
    const core = await coreWith({ servers: { asker: fixture('asker') } });
    const client = await core.open();
    const params = { name: 'asker_slow_progress', arguments: { steps: 600, delayMs: 100 } };
    for (let n = 0; n < 5; n++)
      client.writeText(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }));
    await client.request('tools/list', {});
    expect(core.host.core.activity.timeline.running.length).toBeLessThan(2);
  });

  test('end a question to the app when it is answered or withdrawn', async () => {
    const core = await coreWith({ servers: { asker: fixture('asker') } });
    const client = await core.open({ elicitation: {} });
    client.onRequest('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    await client.callTool('asker_ask_form', { message: 'Who are you?' });
    const asked = async (): Promise<unknown> =>
      (await steps(core)).filter(({ kind }) => kind === 'question').map(({ what, outcome }) => [what, outcome]);
    expect(await asked()).toEqual([['asker: Who are you?', 'ok']]);
    client.onRequest('elicitation/create', () => new Promise(() => undefined));
    client.write({
      jsonrpc: '2.0',
      id: 99,
      method: 'tools/call',
      params: { name: 'asker_ask_form', arguments: { message: 'Still?' } },
    });
    await expect.poll(() => core.host.core.activity.timeline.running.length).toBe(2);
    // Its server is removed, so no response is expected.
    await core.write({ servers: {} });
    await core.host.core.context.config.reload();
    await expect.poll(() => core.host.core.activity.timeline.running.length).toBe(0);
    await expect.poll(asked).toEqual([
      ['asker: Who are you?', 'ok'],
      ['asker: Still?', 'cancelled'],
    ]);
  });

  test('report progress and can be cancelled by the user', async () => {
    const core = await coreWith({ servers: { asker: fixture('asker') } });
    const client = await core.open();
    const long = { steps: 600, delayMs: 100 };
    const running = client.request('tools/call', {
      name: 'asker_slow_progress',
      arguments: long,
      _meta: { progressToken: 'p' },
    });
    const open = (): readonly RunningStep[] => core.host.core.activity.timeline.running;
    await expect.poll(() => open()[0]?.exchange.progress?.progress ?? 0).toBeGreaterThan(1);
    const [step] = open();
    await ask(core, 'cancelStep', { id: step?.exchange.id ?? 0 });
    expect(await running).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('The user cancelled this in Tooltray.') as string }],
    });
    await expect.poll(async () => (await steps(core)).at(-1)?.calls[0]?.outcome).toBe('cancelled');
    expect(open()).toEqual([]);
    await expect(ask(core, 'cancelStep', { id: step?.exchange.id ?? 0 })).rejects.toThrow('This step has finished.');
  });
});

test('stores steps without payloads when storePayloads is off', async () => {
  const core = await coreWith({ mode: 'search', activity: { storePayloads: false } });
  const client = await core.open();
  await client.request('tools/call', { name: 'search_tools', arguments: { query: 'say' } });
  const search = (await steps(core)).at(-1);
  expect((await ask(core, 'step', { id: search?.id ?? 0 })).payloads).toEqual({
    request: { none: 'off' },
    modelResult: { none: 'off' },
  });
});

test('survives malformed frames, and records only requests', async () => {
  const core = await coreWith({});
  const client = await core.open();
  const frames = [
    { method: { toString: null } },
    { method: ['tools/call'] },
    { method: 'constructor', params: 'x' },
    { method: 'tools/call', params: [1] },
  ];
  for (const [at, frame] of frames.entries())
    client.writeText(JSON.stringify({ jsonrpc: '2.0', id: 100 + at, ...frame }));
  await client.request('tools/list', {});
  const kinds = async (): Promise<string[]> => (await steps(core)).map(({ kind, name }) => `${kind} ${name}`);
  await expect.poll(kinds).toEqual(expect.arrayContaining(['other constructor', 'list tools/list']));
});
