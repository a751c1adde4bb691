/** Calls that exceed their client app's timeout: a handle in time, the result later, and the tool runs once. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { allCases, someOf } from '../support/all-cases.ts';
import { finished, handleIn } from '../support/finished.ts';
import type { Params, RawMessage } from '../support/raw-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { textOf } from '../support/socket-client.ts';
import { ready, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';
import { writeAtomically } from '../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-slow-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/**
 * A core whose client apps time out after a fifth of a second, with the slow server; its log; and a function that ends
 * its work.
 */
async function slowCore(settings: Params = {}) {
  const log = join(folder, `log-${(files += 1)}`);
  const file = join(folder, `answer-${files}`);
  const args = [join(import.meta.dirname, 'servers/slow.ts'), log];
  const core = await startCore({
    servers: { slow: { command: process.execPath, args } },
    slowCallSeconds: 0.2,
    ...settings,
  });
  return {
    core,
    file,
    work: { file },
    finish: (text = 'done') => {
      writeAtomically(file, text);
    },
    step: () => writeFileSync(`${file}.step`, ''),
    noted: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    [Symbol.asyncDispose]: () => core[Symbol.asyncDispose](),
  };
}

interface Pending {
  readonly handle: string;
  readonly progress?: string;
}

function pendingOf(result: Params | undefined): Pending {
  const meta = (result?.['_meta'] ?? {}) as Params;
  return meta['tooltray/pending'] as Pending;
}

type Call = (name: string, args: Params, more?: Params) => Promise<Params>;

/** Connections of client apps to a core. */
const lines: Record<string, (core: TestCore) => Promise<Call>> = {
  'the handshake era over the socket': async (core) => {
    const client = await core.open();
    return (name, args, more) => client.callTool(name, args, more);
  },
  'the handshake era over HTTP': async (core) => {
    const client = new HttpClient(core.url);
    await client.initialize();
    return async (name, args, more) =>
      (await client.exchange('tools/call', { name, arguments: args, ...more })).message.result ?? {};
  },
  '2026-07-28 over the socket': async (core) => {
    const client = new ModernClient(await core.connect());
    return async (name, args, more) => (await client.call(name, args, more)).result ?? {};
  },
  '2026-07-28 over HTTP': async (core) => {
    const client = new ModernClient(new HttpClient(core.url, true));
    return async (name, args, more) => (await client.call(name, args, more)).result ?? {};
  },
};

describe.each(someOf(2, Object.entries(lines)))('a client app of %s', (_line, open) => {
  test('gets a handle in time, waits with it, and gets the result on every request; the tool runs once', async () => {
    await using slow = await slowCore({ extraTools: ['await_result'] });
    const call = await open(slow.core);
    const first = await call('work', slow.work);
    expect(first['isError']).toBeUndefined();
    const { handle } = pendingOf(first);
    const wait = (input: Params): Promise<Params> => call('await_result', input);
    expect(textOf(first)).toMatch(/^work is still running since \S+Z \(\d+ s\)\. Do not call it again\./);
    expect(textOf(first)).toContain(`await_result ${JSON.stringify({ handle })}`);
    expect(pendingOf(await call('await_result', { handle }))).toMatchObject({ handle, tool: 'work' });
    slow.finish();
    expect(textOf(await finished(first, wait))).toBe('done');
    expect(textOf(await wait({ handle }))).toBe('done');
    expect(slow.noted()).toEqual(['work']);
  });

  test('cancels a call through its handle at the server', async () => {
    await using slow = await slowCore({ extraTools: ['await_result'] });
    const call = await open(slow.core);
    const { handle } = pendingOf(await call('work', slow.work));
    expect(textOf(await call('await_result', { handle, cancel: true }))).toContain('work was cancelled');
    await until(() => slow.noted().includes('cancelled'));
    expect(await call('await_result', { handle })).toMatchObject({ isError: true });
  });
});

test.runIf(allCases)('spills a pending result that exceeds memory whole, under the name of its tool', async () => {
  await using slow = await slowCore({ mode: 'search', results: { threshold: 0 } });
  const call = await lines['the handshake era over the socket']!(slow.core);
  const { handle } = pendingOf(await call('call_tool', { name: 'work', arguments: slow.work }));
  const whole = 'a line of an answer\n'.repeat(3_500_000);
  slow.finish(whole);
  const { spills } = slow.core.host.core.calls;
  // Seventy megabytes through a pipe take longer than a usual wait on a busy computer.
  await expect.poll(async () => (await spills.list()).length, { timeout: 50_000 }).toBeGreaterThan(0);
  const [spill] = await spills.list();
  const wait = { name: 'await_result', arguments: { handle } };
  await expect.poll(async () => textOf(await call('call_tool', wait))).toContain(spill?.file);
  expect(spill).toMatchObject({ server: 'slow', tool: 'work', kind: 'text' });
  expect(readFileSync(spill?.file ?? '', 'utf8') === whole).toBe(true);
  expect(slow.noted()).toEqual(['work']);
});

test.each(
  someOf(2, [
    ['search', 'call_tool', 'name', 'arguments'],
    ['meta', 'invoke', 'name', 'args'],
    ['gateway', 'slow', 'tool', 'arguments'],
    ['retrieve', 'call_tool_read', 'name', 'args'],
    ['dispatch', 'proxy-dispatch', 'tool', 'arguments'],
    ['universal', 'proxy', 'path', 'args'],
  ]),
)('in mode %s the call and the wait go through %s', async (mode, helper, toolKey, argsKey) => {
  await using slow = await slowCore({ mode });
  const client = new ModernClient(await slow.core.connect());
  const wrapped = async (tool: string, args: Params): Promise<Params> => {
    const more = mode === 'universal' ? { action: 'call', type: 'tool' } : { action: 'call' };
    const extra = ['universal', 'dispatch'].includes(mode) ? more : {};
    return (await client.call(helper, { ...extra, [toolKey]: tool, [argsKey]: args })).result ?? {};
  };
  const tool = mode === 'universal' ? 'slow_work' : 'work';
  const first = await wrapped(tool, slow.work);
  const { handle } = pendingOf(first);
  expect(textOf(first)).toContain(`${tool} is still running`);
  expect(pendingOf(await wrapped('await_result', { handle }))).toMatchObject({ handle });
  slow.finish();
  expect(textOf(await finished(first, (input) => wrapped('await_result', input)))).toContain('done');
  expect(slow.noted()).toEqual(['work']);
});

test('lists await_result from the first handle on, with a list_changed', async () => {
  await using slow = await slowCore();
  const [client, other] = [await slow.core.open(), await slow.core.open()];
  expect(await client.toolNames()).not.toContain('await_result');
  await client.callTool('work', slow.work);
  await client.notification('notifications/tools/list_changed');
  expect(await client.toolNames()).toContain('await_result');
  expect(await other.toolNames()).not.toContain('await_result');
});

test('a stateless call waits without a handle unless await_result is listed', async () => {
  await using slow = await slowCore();
  const client = new ModernClient(await slow.core.connect());
  const listed = async (): Promise<unknown> => (await client.once('tools/list')).result?.['tools'];
  const before = await listed();
  const answer = client.call('work', slow.work);
  await until(() => slow.noted().length === 1);
  setTimeout(() => slow.finish(), 400);
  expect(textOf((await answer).result ?? {})).toBe('done');
  expect(await listed()).toEqual(before);
});

test.each([
  ['without', 0.2, false],
  ['with', 0, true],
])('lists a tool %s its outputSchema if calls may stay pending for %d s', async (_what, slowCallSeconds, has) => {
  await using slow = await slowCore({ slowCallSeconds, raw: true, results: { threshold: 0 } });
  const { tools } = await (await slow.core.open()).request('tools/list');
  expect(JSON.stringify(tools).includes('outputSchema')).toBe(has);
});

test('sends progress to the waiting request, under its token, and reports the last step', async () => {
  await using slow = await slowCore();
  const client = await slow.core.open();
  const { handle } = pendingOf(await client.callTool('work', slow.work, { _meta: { progressToken: 'first' } }));
  let waited: Params = {};
  // Progress between two waits is reported to no request.
  while (client.notifications.every(({ method }) => method !== 'notifications/progress')) {
    const wait = client.callTool('await_result', { handle }, { _meta: { progressToken: 'second' } });
    slow.step();
    waited = await wait;
  }
  const [heard] = client.notifications.filter(({ method }) => method === 'notifications/progress');
  expect(heard?.params).toEqual({ progressToken: 'second', progress: 1, total: 2, message: 'half' });
  expect(pendingOf(waited)).toMatchObject({ progress: '1 of 2, half' });
});

describe('cancellation', () => {
  test('of a request before it has a handle cancels the call', async () => {
    await using slow = await slowCore({ slowCallSeconds: 60 });
    const client = await slow.core.open();
    client.write({ jsonrpc: '2.0', id: 77, method: 'tools/call', params: { name: 'work', arguments: slow.work } });
    await until(() => slow.noted().length === 1);
    client.notify('notifications/cancelled', { requestId: 77 });
    await until(() => slow.noted().length === 2);
    expect(slow.noted()).toEqual(['work', 'cancelled']);
  });

  test('of a wait ends only the wait', async () => {
    await using slow = await slowCore();
    const client = await slow.core.open();
    const first = await client.callTool('work', slow.work);
    const params = { name: 'await_result', arguments: { handle: handleIn(first) } };
    client.write({ jsonrpc: '2.0', id: 78, method: 'tools/call', params });
    client.notify('notifications/cancelled', { requestId: 78 });
    slow.finish();
    expect(textOf(await finished(first, (input) => client.callTool('await_result', input)))).toBe('done');
    expect(slow.noted()).toEqual(['work']);
  });

  test('by the end of the session cancels the call', async () => {
    await using slow = await slowCore();
    const client = await slow.core.open();
    await client.callTool('work', slow.work);
    client.end();
    await until(() => slow.noted().includes('cancelled'));
    expect(slow.noted()).toEqual(['work', 'cancelled']);
  });
});

test('rejects a handle of another session', async () => {
  await using slow = await slowCore();
  const [client, other] = [await slow.core.open(), await slow.core.open()];
  const { handle } = pendingOf(await client.callTool('work', slow.work));
  slow.finish();
  expect(await other.callTool('await_result', { handle })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Unknown handle') as string }],
  });
});

describe("a server's question while no request waits", () => {
  const accepted = { action: 'accept', content: {} };
  const capabilities = { elicitation: { form: {} } };

  test('goes to the client app that waits next (stateful)', async () => {
    await using slow = await slowCore();
    const client = await slow.core.open(capabilities);
    client.onRequest('elicitation/create', () => accepted);
    const first = await client.callTool('work', { ...slow.work, ask: true });
    slow.finish();
    await until(() => slow.noted().includes('asked'));
    expect(client.requests).toEqual([]);
    const answer = await finished(first, (input) => client.callTool('await_result', input));
    expect(JSON.parse(textOf(answer))).toEqual(accepted);
    expect(client.requests.map(({ method }) => method)).toEqual(['elicitation/create']);
  });

  test('is returned by the next wait as input_required (stateless)', async () => {
    await using slow = await slowCore({ mode: 'search', extraTools: ['await_result'] });
    const client = new ModernClient(new HttpClient(slow.core.url, true), capabilities);
    client.onAsk('elicitation/create', () => accepted);
    const args = { name: 'work', arguments: { ...slow.work, ask: true } };
    const first = (await client.call('call_tool', args)).result;
    slow.finish();
    await until(() => slow.noted().includes('asked'));
    const answer = await finished(first, async (input) => (await client.call('await_result', input)).result);
    expect(JSON.parse(textOf(answer))).toEqual(accepted);
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create']);
  });
});

test('does not call a tool again whose server exits while it runs', async () => {
  await using slow = await slowCore({ slowCallSeconds: 60 });
  const client = await slow.core.open();
  expect(await client.callTool('die')).toMatchObject({ isError: true });
  await until(() => slow.core.server('slow').state.kind === 'ready');
  expect(slow.noted()).toEqual(['die']);
});

test('does not send a call again whose connection to an HTTP server breaks', async () => {
  await using broken = await breakingServer();
  await using core = await startCore({ servers: { broken: { url: broken.url } } });
  const client = await core.open();
  await expect(client.callTool('work')).rejects.toThrow('without a result');
  await ready(core.server('broken'));
  expect(broken.calls()).toBe(1);
});

test('records a call once, when it has ended', async () => {
  await using slow = await slowCore();
  const { log: activity } = slow.core.host.core.activity;
  const client = await slow.core.open();
  const first = await client.callTool('work', slow.work);
  expect(await activity.ask('recentCalls')).toEqual([]);
  slow.finish();
  await finished(first, (input) => client.callTool('await_result', input));
  expect(await activity.ask('recentCalls')).toMatchObject([{ tool: 'work', outcome: 'ok' }]);
});

/** An HTTP server that closes the connection during each call. */
async function breakingServer() {
  let calls = 0;
  const tools = [{ name: 'work', inputSchema: { type: 'object' } }];
  const results: Record<string, (params: Params) => unknown> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'broken', version: '1' },
    }),
    'tools/list': () => ({ tools }),
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST') void text(request).then((body) => serve(JSON.parse(body) as RawMessage, response));
    else response.writeHead(405).end();
  });
  const serve = ({ id, method = '', params = {} }: RawMessage, response: ServerResponse): void => {
    if (method === 'tools/call') {
      calls += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      setImmediate(() => response.destroy());
    } else if (id === undefined) response.writeHead(202).end();
    else {
      const result = results[method]?.(params);
      const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
