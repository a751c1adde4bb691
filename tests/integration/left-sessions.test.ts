/** A session over HTTP outlives the core that opened it: its app asks on under the same id, as if nothing had been. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RawMessage } from '../support/raw-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const home = mkdtempSync(join(tmpdir(), 'tooltray-left-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const start = (): Promise<TestCore> => startCore({ servers: { echo: fixture('echo') } }, { home });
const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function post(core: TestCore, session: string, message: object, path = ''): Promise<Response> {
  const headers = { ...usual, ...(session !== '' && { 'mcp-session-id': session }) };
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return fetch(core.url + path, { method: 'POST', headers, body });
}

async function open(core: TestCore): Promise<string> {
  const clientInfo = { name: 'stays', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo };
  const response = await post(core, '', { id: 0, method: 'initialize', params });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const list = { id: 1, method: 'tools/list' };
const file = join(home, 'run', 'http-sessions.json');

test('it goes on in the next core with what the app said of itself, hears that lists may be others, and ends for good by DELETE', async () => {
  let kept: string;
  let ended: string;
  {
    await using core = await start();
    [kept, ended] = [await open(core), await open(core)];
    expect((await fetch(core.url, { method: 'DELETE', headers: { 'mcp-session-id': ended } })).status).toBe(200);
  }
  await using core = await start();
  expect(existsSync(file)).toBe(false);
  expect((await post(core, ended, list)).status).toBe(404);
  expect((await post(core, kept, list, '/mode/search')).status).toBe(404);
  // Two at once open it once.
  const answers = await Promise.all([post(core, kept, list), post(core, kept, { ...list, id: 2 })]);
  const [first] = (await Promise.all(answers.map((answer) => answer.json()))) as RawMessage[];
  expect([answers.map(({ status }) => status), first?.result?.['tools']]).toEqual([
    [200, 200],
    [expect.objectContaining({ name: 'echo' })],
  ]);
  expect(core.host.core.sessions.all.map(({ client }) => client)).toEqual(['stays']);

  const leave = new AbortController();
  const headers = { accept: 'text/event-stream', 'mcp-session-id': kept };
  const stream = await fetch(core.url, { headers, signal: leave.signal });
  let told = '';
  const reading = (async () => {
    for await (const chunk of stream.body ?? new ReadableStream<Uint8Array>()) told += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  await until(() => (told.match(/list_changed/g) ?? []).length === 3);
  leave.abort();
  await reading;
});

test('its stream goes on in the next core, from whatever event of the last one, with news of the lists', async () => {
  let session: string;
  {
    await using core = await start();
    session = await open(core);
  }
  await using core = await start();
  const leave = new AbortController();
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session, 'last-event-id': 'standing.7' };
  const stream = await fetch(core.url, { headers, signal: leave.signal });
  expect(stream.status).toBe(200);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  while (!told.includes('list_changed')) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    expect([done, told]).toEqual([false, told]);
    told += value;
  }
  leave.abort();
});

test('what is silent for too long, or never was, is no session', async () => {
  let session: string;
  {
    await using core = await start();
    session = await open(core);
  }
  await using core = await startCore({ servers: {}, http: { sessionIdleMinutes: 0.000_001 } }, { home });
  expect((await post(core, session, list)).status).toBe(404);
  expect((await post(core, 'made-up', list)).status).toBe(404);
});
