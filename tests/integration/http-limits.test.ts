/** Limits of the HTTP server: excess requests get HTTP errors, and requests in progress finish, also when Tooltray stops. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';
import { writeAtomically } from '../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-limits-'));
const log = join(folder, 'log');
const slow = { command: process.execPath, args: [join(import.meta.dirname, 'servers/slow.ts'), log] };
/** Number of calls that the server has started. */
const begun = (): number => (existsSync(log) ? readFileSync(log, 'utf8').split('work').length : 1);
let calls = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (http: object): Promise<TestCore> =>
  startCore({ servers: { slow }, slowCallSeconds: 0, results: { threshold: 0 }, http });

/** A request of 2026-07-28. */
function ask(core: TestCore, method: string, params: object = {}, signal?: AbortSignal): Promise<Response> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...('name' in params && { 'mcp-name': String(params.name) }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  return fetch(core.url, { method: 'POST', headers, body, ...(signal && { signal }) });
}

const listen = (core: TestCore, signal?: AbortSignal): Promise<Response> =>
  ask(core, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, signal);

/** A running call that ends on request. */
async function slowCall(core: TestCore): Promise<{ answer: Promise<Response>; finish: () => void }> {
  const file = join(folder, `answer-${(calls += 1)}`);
  const before = begun();
  const answer = ask(core, 'tools/call', { name: 'work', arguments: { file } });
  await until(() => begun() > before);
  const finish = (): void => {
    writeAtomically(file, 'done');
  };
  return { answer, finish };
}

/** Status, Retry-After, and error code of a refusal. */
async function refusalOf(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: { data: { code: string } } };
  return [response.status, response.headers.get('retry-after'), error.data.code];
}

test('rejects requests over the limit with Retry-After, but accepts a cancellation', async () => {
  await using core = await start({ maxRequests: 1 });
  const session = new HttpClient(core.url);
  await session.initialize();
  const { answer, finish } = await slowCall(core);
  expect(await refusalOf(await ask(core, 'tools/list'))).toEqual([503, '5', 'session_limit']);
  // A notification, which takes no slot.
  await session.exchangeText(9, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled' })).catch(() => '');
  finish();
  const answered = await answer;
  expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('done')]);
  // The slot is free once the core has sent the response, possibly after the app has received it.
  await expect.poll(async () => (await ask(core, 'tools/list')).status).toBe(200);
});

test('rejects streams over the limit with Retry-After; a closed one frees its place', async () => {
  await using core = await start({ maxStreams: 2 });
  const leave = new AbortController();
  const open = [await listen(core, leave.signal), await listen(core)];
  expect(open.map(({ status }) => status)).toEqual([200, 200]);
  expect(await refusalOf(await listen(core))).toEqual([503, '5', 'session_limit']);
  leave.abort();
  let again = await listen(core);
  while (again.status === 503) again = await listen(core);
  expect(again.status).toBe(200);
});

test('rejects another session while every session has a call running', async () => {
  await using core = await start({ maxSessions: 1 });
  const [first, second] = [new HttpClient(core.url), new HttpClient(core.url)];
  await first.initialize();
  const file = join(folder, 'first');
  const before = begun();
  const call = first.exchange('tools/call', { name: 'work', arguments: { file } });
  await until(() => begun() > before);
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'second', version: '1' } };
  const refused = await second.exchange('initialize', hello);
  expect(refused.message.error?.data).toEqual({ code: 'session_limit' });
  writeAtomically(file, 'done');
  expect((await call).message.result).toBeDefined();
  expect((await second.exchange('initialize', hello)).message.result).toBeDefined();
});

test('ends a session after its idle time, but not one with a stream', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  try {
    await using core = await start({ sessionIdleMinutes: 10 });
    const [idle, listening] = [new HttpClient(core.url), new HttpClient(core.url)];
    await idle.initialize();
    await listening.initialize();
    const leave = new AbortController();
    const isOpen = Promise.withResolvers<void>();
    const stream = listening.listen(() => isOpen.resolve(), leave.signal).catch(() => undefined);
    await isOpen.promise;
    const sessions = (): number => core.host.core.clients.sessions.all.length;
    vi.setSystemTime(Date.now() + 9 * 60_000);
    vi.advanceTimersByTime(30_000);
    expect(sessions()).toBe(2);
    vi.setSystemTime(Date.now() + 2 * 60_000);
    vi.advanceTimersByTime(30_000);
    await until(() => sessions() === 1);
    expect((await listening.exchange('tools/list')).message.result).toBeDefined();
    expect((await idle.exchange('tools/list')).message.error?.code).toBe(-32001);
    leave.abort();
    await stream;
  } finally {
    vi.useRealTimers();
  }
});

test('on stop, finishes responses in progress, ends streams cleanly, and accepts nothing more', async () => {
  const core = await start({});
  const stream = await listen(core);
  const { answer, finish } = await slowCall(core);
  const kept = new HttpClient(core.url);
  await kept.initialize();
  const stopped = core[Symbol.asyncDispose]();
  await expect(ask(core, 'tools/list')).rejects.toThrow();
  finish();
  const response = await answer;
  expect(await response.text()).toContain('"text":"done"');
  expect(await stream.text()).toContain('"resultType":"complete"');
  await stopped;
});

test('on stop, abandons what takes longer than the drain time', async () => {
  const core = await start({ drainSeconds: 0 });
  const { answer } = await slowCall(core);
  await core[Symbol.asyncDispose]();
  const response = await answer.catch(() => undefined);
  expect(await response?.text().catch(() => '')).not.toContain('"result"');
});
