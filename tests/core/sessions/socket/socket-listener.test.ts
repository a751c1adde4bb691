import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppError } from '../../../../src-main/core/base/errors.ts';
import { until } from '../../../support/until.ts';
import {
  type Hello,
  SocketListener,
  type SocketListenerOptions,
} from '../../../../src-main/core/sessions/socket/socket-listener.ts';

const token = 'the-right-token';
const hello = { tooltray: 1, token, purpose: 'session', app: 'Cursor', mode: 'search', cwd: '/work', pid: 42 };

let home: string;
let socketPath: string;
let listeners: SocketListener[];
let entered: { hello: Hello; rest: string; socket: Socket }[];
let refused: AppError[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tooltray-listener-'));
  socketPath = join(home, 'run', 'core.sock');
  [listeners, entered, refused] = [[], [], []];
});

afterEach(async () => {
  for (const listener of listeners) await listener.stop();
  rmSync(home, { recursive: true, force: true });
});

async function listen(options: Partial<SocketListenerOptions> = {}): Promise<SocketListener> {
  const listener = new SocketListener({
    socketPath,
    token,
    version: '1.2.3',
    onConnection: (socket, said, rest) => entered.push({ hello: said, rest: rest.toString(), socket }),
    onRefused: (error) => refused.push(error),
    ...options,
  });
  await listener.start();
  listeners.push(listener);
  return listener;
}

/** Sends `first` and resolves with the core's response before it closes the connection. */
async function knock(first: string | Buffer): Promise<unknown> {
  const socket = connect(socketPath);
  socket.write(first);
  return JSON.parse(await text(socket));
}

async function enter(said: object = hello, rest = ''): Promise<{ socket: Socket; answer: unknown }> {
  const socket = connect(socketPath);
  socket.write(`${JSON.stringify(said)}\n${rest}`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { socket, answer: JSON.parse(answer.toString()) };
}

/** Leaves the socket of a killed core. */
async function leaveStaleSocket(): Promise<void> {
  mkdirSync(join(home, 'run'));
  const script = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => console.log('on'))`;
  const child = spawn(process.execPath, ['-e', script]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('restricts the folder to 0700 and the socket to 0600', async () => {
  mkdirSync(join(home, 'run'));
  chmodSync(join(home, 'run'), 0o755);
  await listen();
  expect([statSync(join(home, 'run')).mode & 0o777, statSync(socketPath).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('accepts a hello with the token and passes on the bytes behind it', async () => {
  await listen();
  const { answer, socket } = await enter(hello, '{"jsonrpc":"2.0"}\nmore');
  expect(answer).toEqual({ tooltray: 1, ok: true, version: '1.2.3' });
  const { tooltray: _, ...said } = hello;
  expect(entered).toMatchObject([{ hello: { ...said, config: undefined }, rest: '{"jsonrpc":"2.0"}\nmore' }]);
  const echoed = once(socket, 'data');
  entered[0]?.socket.on('data', (chunk) => entered[0]?.socket.write(chunk)).resume();
  socket.write('later');
  expect(String((await echoed)[0])).toBe('later');
});

test('reads a hello in many pieces', async () => {
  await listen();
  const socket = connect(socketPath);
  for (const letter of `${JSON.stringify({ ...hello, app: 'ä😀' })}\n`.match(/.{1,7}|\n/gs) ?? []) {
    socket.write(letter);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, 'data');
  expect(entered[0]?.hello.app).toBe('ä😀');
});

test('rejects a wrong token without revealing the right one', async () => {
  await listen();
  const answer = await knock(`${JSON.stringify({ ...hello, token: 'x' })}\n`);
  expect(answer).toMatchObject({
    tooltray: 1,
    code: 'unauthorized',
    error: expect.stringContaining('token') as string,
  });
  expect(JSON.stringify(answer)).not.toContain(token);
  expect(entered).toEqual([]);
});

test.each([
  ['not JSON', 'GET / HTTP/1.1\r\n\r\n', /not valid JSON/],
  ['not an object', '[1]\n', /not a JSON object/],
  ['another version', '{"tooltray":2}\n', /"tooltray": 2/],
  ['an unknown purpose', JSON.stringify({ ...hello, purpose: 'spy' }) + '\n', /purpose/],
  ['a number for a name', JSON.stringify({ ...hello, app: 7 }) + '\n', /"app" is not a string/],
  ['more than 64 kB', 'x'.repeat(70_000), /longer than 65536 bytes/],
])('rejects a hello that is %s with the reason', async (_name, line, reason) => {
  await listen();
  const answer = await knock(line);
  expect(answer).toMatchObject({ code: 'bad_request', error: expect.stringMatching(reason) as string });
});

test('closes a connection without a hello after the timeout', async () => {
  await listen({ helloTimeoutMs: 30 });
  expect(await knock('')).toMatchObject({ error: expect.stringContaining('no hello was received within') as string });
});

test('survives a flood of invalid hellos', async () => {
  const listener = await listen();
  const answers = await Promise.all(Array.from({ length: 150 }, (_, i) => knock(`nonsense ${i}\n`)));
  expect(answers).toHaveLength(150);
  expect(refused).toHaveLength(150);
  const { socket } = await enter();
  await expect.poll(() => listener.connections).toBe(1);
  socket.destroy();
});

test('rejects connections beyond the limit, and accepts one after another has closed', async () => {
  const listener = await listen({ maxConnections: 2 });
  const first = await enter();
  await enter();
  expect(await knock(`${JSON.stringify(hello)}\n`)).toMatchObject({ code: 'session_limit' });
  expect(refused.map(({ code }) => code)).toEqual(['session_limit']);
  first.socket.destroy();
  while (listener.connections > 1) await new Promise((resolve) => setImmediate(resolve));
  expect((await enter()).answer).toMatchObject({ ok: true });
});

test('replaces the socket of a killed core', async () => {
  await leaveStaleSocket();
  expect(existsSync(socketPath)).toBe(true);
  await listen();
  expect((await enter()).answer).toMatchObject({ ok: true });
  expect(readdirSync(join(home, 'run')).sort()).toEqual(['core.sock', 'core.sock.lock']);
});

test('rejects a second core as already running and keeps the first', async () => {
  await listen();
  const second = await listen().catch((error: unknown) => error);
  expect(second).toMatchObject({ code: 'already_running' });
  expect((await enter()).answer).toMatchObject({ ok: true });
});

test('keeps one of several cores that start at once on a stale socket', async () => {
  await leaveStaleSocket();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => listen()));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await enter()).answer).toMatchObject({ ok: true });
});

test('closes connections and removes the socket at stop', async () => {
  const listener = await listen();
  const { socket } = await enter();
  socket.resume();
  const closed = once(socket, 'close');
  await listener.stop();
  listeners = [];
  await closed;
  expect(existsSync(socketPath)).toBe(false);
});

test.each([
  ['the socket', () => rmSync(socketPath)],
  ['its whole folder', () => rmSync(join(home, 'run'), { recursive: true })],
])(
  'restores its socket when something removes %s, keeps its connections and rejects a second core',
  async (_what, remove) => {
    const restored = new Promise<void>((resolve) => {
      void listen({ lockFile: join(home, 'core.lock'), checkIntervalMs: 5, onRestored: resolve });
    });
    await until(() => existsSync(socketPath));
    const { socket } = await enter();
    remove();
    await restored;
    expect((await enter()).answer).toMatchObject({ ok: true });
    expect([socket.destroyed, entered.length]).toEqual([false, 2]);
    await expect(listen({ lockFile: join(home, 'core.lock') })).rejects.toMatchObject({ code: 'already_running' });
  },
);

test('makes a second core wait while the socket of the first is missing', async () => {
  const lockFile = join(home, 'core.lock');
  await listen({ lockFile, checkIntervalMs: 60_000 });
  rmSync(socketPath);
  const second = new SocketListener({ socketPath, lockFile, token, version: '1', onConnection: () => undefined });
  const outcome = second.start().catch((error: unknown) => error);
  // The first one reports before the second has given up.
  expect(await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))])).toBe('waits');
  await listeners[0]?.stop();
  listeners = [];
  expect(await outcome).toBeUndefined();
  await second.stop();
});

test('does not remove a socket that another process created', async () => {
  const first = await listen({ checkIntervalMs: 60_000 });
  rmSync(socketPath);
  const other = createServer().listen(socketPath);
  await once(other, 'listening');
  await first.stop();
  listeners = [];
  expect(existsSync(socketPath)).toBe(true);
  other.close();
});
