/** What is passed on is as it would be at its own replica: progress as it comes, ends that are heard, streams gone on with; and nobody else gets in that way. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { connect } from '../../../src-main/team/database/database.ts';
import { bearer } from '../../support/callers.ts';
import { startReplica, teamToken, type TestReplica } from '../../support/start-replica.ts';
import { place } from '../../support/start-replicas.ts';
import { openSession, post } from '../../support/team-caller.ts';
import { openTeamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-passing-'));
const log = join(folder, 'log');
const noted = (): readonly string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);

interface Seen {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What was passed on to the inner door of `a`, through somebody who keeps it; whether it answers is asked there as well. */
const seen: Seen[] = [];
const between = createServer((request, response) => {
  void (async () => {
    const { method = '', headers } = request;
    const body = await buffer(request);
    if (method === 'POST') seen.push({ method, headers, body });
    const on = send({ host: '127.0.0.1', port: innerPort, method, headers, path: request.url }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    response.once('close', () => on.destroy());
    on.on('error', () => response.destroy());
    on.end(body);
  })();
});
let innerPort = 0;
let replicas: { readonly a: TestReplica; readonly b: TestReplica };
let drop: () => Promise<void>;
let url = '';

beforeAll(async () => {
  const database = await openTeamDatabase();
  ({ drop, url } = database);
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  innerPort = await freePort();
  const slow = join(import.meta.dirname, '../../integration/servers/slow.ts');
  const config = { servers: { slow: { command: process.execPath, args: [slow, log] } }, slowCallSeconds: 0 };
  const innerAddress = `127.0.0.1:${(between.address() as AddressInfo).port}`;
  const inner = { host: '127.0.0.1', port: innerPort };
  const a = await startReplica(database.url, config, { among: place('a', { inner, innerAddress }) });
  const b = await startReplica(database.url, config, { among: place('b') });
  replicas = { a, b };
});
afterAll(async () => {
  for (const replica of Object.values(replicas)) await replica[Symbol.asyncDispose]();
  between.closeAllConnections();
  between.close();
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

function finish(file: string): void {
  writeFileSync(`${file}.part`, 'done');
  renameSync(`${file}.part`, file);
}

test('progress comes as it is told, and a stream that broke off is gone on with from its last event', async () => {
  const { a, b } = replicas;
  const file = join(folder, 'stepped');
  const { session } = await openSession(a.url);
  const headers = { ...bearer(teamToken), 'mcp-session-id': session, accept: 'application/json, text/event-stream' };
  const params = { name: 'slow_work', arguments: { file }, _meta: { progressToken: 'p' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const leave = new AbortController();
  const before = noted().length;
  const asked = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  const first = await fetch(b.url, { ...asked, signal: leave.signal });
  expect(first.headers.get('content-type')).toBe('text/event-stream');
  let told = '';
  const reading = (async () => {
    for await (const piece of first.body ?? new ReadableStream<Uint8Array>()) told += new TextDecoder().decode(piece);
  })().catch(() => undefined);
  await until(() => noted().length > before);
  writeFileSync(`${file}.step`, '');
  await until(() => told.includes('half'));
  leave.abort();
  await reading;
  const last =
    told
      .match(/^id: (\S+)$/gm)
      ?.at(-1)
      ?.slice(4) ?? '';
  finish(file);
  // 409 for as long as the other replica has not seen the old stream go.
  const resume = (): Promise<Response> => fetch(b.url, { headers: { ...headers, 'last-event-id': last } });
  let again = await resume();
  while (again.status === 409) again = await resume();
  expect(await again.text()).toMatch(/"id":7,.*done/);
  expect(noted().slice(before)).toEqual(['work']);
});

test('letters of every kind arrive, in headers and in texts, there and back', async () => {
  const { a, b } = replicas;
  const { session } = await openSession(a.url);
  seen.length = 0;
  // What a header may hold are single bytes.
  const headers = {
    ...bearer(teamToken),
    'mcp-session-id': session,
    'mcp-param-place': 'Zürich',
    'mcp-note': 'caf\u00e9',
  };
  const response = await fetch(b.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'für_€_🎈' } }),
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('für_€_🎈');
  expect(seen.map(({ headers: sent }) => [sent['mcp-param-place'], sent['mcp-note']])).toEqual([['Zürich', 'café']]);
});

test('a call is ended from another replica', async () => {
  const { a, b } = replicas;
  const { session } = await openSession(a.url);
  const before = noted().length;
  const headers = { ...bearer(teamToken), 'mcp-session-id': session, accept: 'application/json, text/event-stream' };
  const say = (message: object): Promise<Response> =>
    fetch(b.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const call = { name: 'slow_work', arguments: { file: join(folder, 'never') } };
  const running = say({ id: 8, method: 'tools/call', params: call });
  await until(() => noted().length > before);
  expect((await say({ method: 'notifications/cancelled', params: { requestId: 8 } })).status).toBe(202);
  await until(() => noted().slice(before).includes('cancelled'));
  await (await running).body?.cancel();
});

test('what went to the inner door once opens it no second time, nor changed, and without it nothing does', async () => {
  const { a, b } = replicas;
  const { session } = await openSession(a.url);
  seen.length = 0;
  const file = join(folder, 'once');
  finish(file);
  const before = noted().length;
  expect((await post(b.url, 'tools/call', { name: 'slow_work', arguments: { file } }, session)).status).toBe(200);
  const [passed] = seen;
  expect(passed?.headers.authorization).toBeUndefined();
  const knock = ({ method, headers, body }: Seen): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = send({ host: '127.0.0.1', port: innerPort, method, headers, path: '/' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end(body);
    });
  const { 'tooltray-pass': pass, ...without } = passed?.headers ?? {};
  const again = passed ?? { method: '', headers: {}, body: Buffer.alloc(0) };
  expect(await knock(again)).toBe(403);
  expect(await knock({ ...again, headers: without })).toBe(403);
  expect(await knock({ ...again, headers: { ...without, ...bearer(teamToken) } })).toBe(403);
  expect(await knock({ ...again, headers: { ...without, 'tooltray-pass': `${String(pass)}x` } })).toBe(403);
  expect(noted().slice(before)).toEqual(['work']);
});

test('a replica that could not say that it was there lets go of what others have taken over, and of nothing else', async () => {
  const { a, b } = replicas;
  const [kept, taken] = [(await openSession(a.url)).session, (await openSession(a.url)).session];
  // As the owner of the database, whom no tenant bounds.
  const sql = connect({ url, most: 1 });
  const key = createHash('sha256').update(taken).digest('base64url');
  await sql`UPDATE tooltray.sessions SET owner = ${b.replica.replicas?.registry.id ?? ''} WHERE id = ${key}`;
  await sql.end();
  a.replica.replicas?.registry.lapsed.emit();
  const has = (session: string): boolean | undefined => a.replica.host.httpDoor?.listener.hasSession(session);
  await until(() => has(taken) === false);
  expect(has(kept)).toBe(true);
  // It is b's now.
  expect((await post(b.url, 'tools/list', {}, taken)).status).toBe(200);
  expect((await post(a.url, 'tools/list', {}, taken)).status).toBe(200);
  expect(b.replica.host.httpDoor?.listener.hasSession(taken)).toBe(true);
});
