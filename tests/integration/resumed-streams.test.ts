/** An app of the stateful protocol resumes a broken HTTP stream after the last event that it received. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import type { RawMessage } from '../support/raw-client.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';
import { writeAtomically } from '../support/write-atomically.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-resumed-'));
const args = [join(import.meta.dirname, 'servers/slow.ts'), join(folder, 'log')];
let core: TestCore;
let calls = 0;

beforeAll(async () => {
  core = await startCore({
    servers: { slow: { command: process.execPath, args } },
    slowCallSeconds: 0,
    results: { threshold: 0 },
  });
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface SseEvent {
  readonly id: string | undefined;
  readonly retry: string | undefined;
  readonly data: string;
}

/** The events of a stream as they arrive. */
async function* eventsOf(response: Response): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? new ReadableStream<Uint8Array>()) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
      yield { id: field('id'), retry: field('retry'), data: field('data') ?? '' };
    }
  }
}

/** A separate session, with its headers. */
async function openSession(protocolVersion = '2025-11-25') {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (message: object, signal?: AbortSignal): Promise<Response> =>
    fetch(core.url, { method: 'POST', headers, body: JSON.stringify(message), ...(signal && { signal }) });
  const clientInfo = { name: 'breaks-off', version: '1.0.0' };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await opened.text();
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  headers['mcp-protocol-version'] = protocolVersion;
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  /** 409 until the core has noticed the end of the old stream. */
  const resume = async (lastEventId: string): Promise<Response> => {
    const ask = (): Promise<Response> => fetch(core.url, { headers: { ...headers, 'last-event-id': lastEventId } });
    let response = await ask();
    while (response.status === 409) {
      await response.text();
      response = await ask();
    }
    return response;
  };
  return { post, resume };
}

/** A call that ends when `finish` is called. */
function slowCall(id: number) {
  const file = join(folder, `answer-${(calls += 1)}`);
  const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'work', arguments: { file } } };
  const finish = (text: string): void => {
    writeAtomically(file, text);
  };
  return { message, finish };
}

async function allOf(response: Response): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

async function lastOf(response: Response): Promise<RawMessage | undefined> {
  const { data } = (await allOf(response)).filter((event) => event.data !== '').at(-1) ?? {};
  return data === undefined ? undefined : (JSON.parse(data) as RawMessage);
}

/** Reads the first event of the call's stream, and closes it. */
async function breakOff(session: Awaited<ReturnType<typeof openSession>>, message: object): Promise<SseEvent> {
  const leave = new AbortController();
  const events = eventsOf(await session.post(message, leave.signal));
  const { value } = (await events.next()) as { value: SseEvent };
  leave.abort();
  await events.next().catch(() => undefined);
  return value;
}

test('returns an immediate result as one JSON body', async () => {
  const session = await openSession();
  const response = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ id: 1, result: { tools: [{ name: 'die' }, { name: 'work' }] } });
});

test('returns a slow result on a stream that begins with an event ID and a retry time', async () => {
  const session = await openSession();
  const { message, finish } = slowCall(6);
  const response = await session.post(message);
  finish('done');
  const events = await allOf(response);
  expect(events[0]).toEqual({ id: expect.stringMatching(/./) as string, retry: '1000', data: '' });
  expect(events).toHaveLength(2);
});

test('delivers the result of a call on the resumed stream', async () => {
  const session = await openSession();
  const { message, finish } = slowCall(7);
  const { id } = await breakOff(session, message);
  const resumed = await session.resume(id ?? '');
  expect(resumed.status).toBe(200);
  finish('kept for you');
  expect(await lastOf(resumed)).toMatchObject({ id: 7, result: { content: [{ type: 'text', text: 'kept for you' }] } });
});

test('stores a result that nobody received, and returns it on every resume', async () => {
  const session = await openSession();
  const { message, finish } = slowCall(8);
  const { id } = await breakOff(session, message);
  const before = (await core.host.core.activity.log.ask('recentCalls')).length;
  finish('came meanwhile');
  await until(async () => (await core.host.core.activity.log.ask('recentCalls')).length > before);
  for (const _time of [1, 2]) {
    const resumed = await session.resume(id ?? '');
    expect(await lastOf(resumed)).toMatchObject({ id: 8, result: { content: [{ text: 'came meanwhile' }] } });
  }
});

test('rejects an event of another session, and one that never existed', async () => {
  const [one, other] = [await openSession(), await openSession()];
  const { message, finish } = slowCall(9);
  const { id } = await breakOff(one, message);
  for (const place of [id ?? '', 'made-up.1', 'x']) expect((await other.resume(place)).status).toBe(400);
  finish('done');
});

test('does not store a large result, and rejects a resume at once', async () => {
  const session = await openSession();
  const { message, finish } = slowCall(10);
  const before = (await core.host.core.activity.log.ask('recentCalls')).length;
  const { id } = await breakOff(session, message);
  finish('x'.repeat(1_000_000));
  await until(async () => (await core.host.core.activity.log.ask('recentCalls')).length > before);
  let status = 0;
  while (status !== 400) status = (await session.resume(id ?? '')).status;
});

test('sends no empty event to an app of an older revision', async () => {
  const session = await openSession('2025-06-18');
  const { message, finish } = slowCall(11);
  const response = await session.post(message);
  finish('done');
  const [first] = await allOf(response);
  expect(first?.data).toContain('"result"');
});

test('reopening the stream notifies that lists may have changed', async () => {
  const servers = { slow: { command: process.execPath, args } };
  await using own = await startCore({ servers });
  const client = new HttpClient(own.url);
  await client.initialize();
  const openStream = async (leave: AbortController): Promise<{ told: RawMessage[]; ended: Promise<void> }> => {
    const told: RawMessage[] = [];
    const ended = client.listen((message) => told.push(message), leave.signal).catch(() => undefined);
    await until(() => told.length > 0);
    return { told, ended };
  };
  const first = new AbortController();
  const { ended } = await openStream(first);
  first.abort();
  await ended;
  await until(() => own.host.httpServer?.listener.counts.streams === 0);
  await own.write({ servers, mode: 'search' });
  const names = async (): Promise<unknown[]> => {
    const { tools } = (await client.exchange('tools/list')).message.result as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  };
  await expect.poll(names).toContain('search_tools');
  const second = new AbortController();
  const { told } = await openStream(second);
  await until(() => told.some(({ method }) => method === 'notifications/tools/list_changed'));
  second.abort();
});

test('a session ends with the core that opened it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-ended-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const list = async (url: string, id: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    return (await fetch(url, { method: 'POST', headers: { ...headers, 'mcp-session-id': id }, body })).status;
  };
  let id: string;
  {
    await using first = await startCore({ servers: {} }, { home });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'stays', version: '1' } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const opened = await fetch(first.url, { method: 'POST', headers, body });
    await opened.text();
    id = opened.headers.get('mcp-session-id') ?? '';
    expect(await list(first.url, id)).toBe(200);
  }
  await using second = await startCore({ servers: {} }, { home });
  expect(await list(second.url, id)).toBe(404);
});
