/** The shim as client apps use it: a real process, a real socket, and cores that start and stop. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quitFile, socketLocation } from '../../src-main/core/base/app-paths.ts';
import { ShimClient, TestHome } from './shim-client.ts';
import { allCases } from '../support/all-cases.ts';
import { until } from '../support/until.ts';

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { roots: {} } },
};
const initialized = { method: 'notifications/initialized' };
const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
const call = (id: string | number, name: string) => ({ id, method: 'tools/call', params: { name } });
/** A read-only request: sent before the shim notices that its core is gone, it is repeated instead of failing. */
const list = (id: number) => ({ id, method: 'tools/list' });

async function openSession(client: ShimClient): Promise<number> {
  client.say(initialize, initialized);
  const answer = await client.answer(0);
  return answer.result?.pid as number;
}

test("the hello contains app, mode, config and the client's working folder", async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env, ['--app', 'Cursor', '--mode=search', '--config', '/some/config.json']);
  await openSession(client);
  expect(JSON.parse(home.records('hellos')[0] as string)).toEqual({
    token: '',
    purpose: 'session',
    app: 'Cursor',
    mode: 'search',
    config: '/some/config.json',
    cwd: process.cwd(),
    pid: client.child.pid,
  });
});

test('ten shims at once start exactly one core', async () => {
  using home = new TestHome();
  const clients = Array.from({ length: 10 }, () => new ShimClient(home.env));
  try {
    const pids = await Promise.all(clients.map(openSession));
    expect(new Set(pids).size).toBe(1);
    expect(home.records('starts')).toEqual([String(pids[0])]);
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
});

test('a client app does not start a core that the user quit until the user starts it', async () => {
  using home = new TestHome();
  const { runDir } = socketLocation(home.env, process.platform, '');
  mkdirSync(runDir, { recursive: true });
  writeFileSync(quitFile(runDir), '');
  using client = new ShimClient(home.env);
  client.say(initialize);
  expect((await client.answer(0)).error).toBeDefined();
  expect(home.records('starts')).toEqual([]);
});

test('killing the core fails calls in flight, and the next call works', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  const first = await openSession(client);
  client.say(call(7, 'hang'), call('7', 'hang'), call(-1, 'hang'));
  await until(() => home.heardBy(first).length === 5);
  await home.killCore();
  const failed = await Promise.all([client.answer(7), client.answer('7'), client.answer(-1)]);
  expect(failed.map(({ error }) => error?.code)).toEqual([-32000, -32000, -32000]);
  expect(failed[0]?.error?.message).toMatch(/restarted during this call.*may have taken effect/);
  client.say(call(8, 'echo'));
  const second = (await client.answer(8)).result?.pid as number;
  expect(second).not.toBe(first);
  expect(home.heardBy(second)).toEqual([
    { jsonrpc: '2.0', ...initialize },
    { jsonrpc: '2.0', ...initialized },
    { jsonrpc: '2.0', ...call(8, 'echo') },
  ]);
  expect(client.lines.filter(({ id, method }) => id === 0 && method === undefined)).toHaveLength(1);
  expect(client.lines).toContainEqual(listChanged);
});

test('a new core gets the log level and the subscriptions, and the client no second response', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  const level = { id: 'level', method: 'logging/setLevel', params: { level: 'debug' } };
  const subscribe = (id: number, uri: string) => ({ id, method: 'resources/subscribe', params: { uri } });
  const unsubscribe = { id: 4, method: 'resources/unsubscribe', params: { uri: 'a:b' } };
  client.say(level, subscribe(2, 'a:b'), subscribe(3, 'a:c'), unsubscribe);
  await client.answer(4);
  await home.killCore();
  client.say(list(5));
  const second = (await client.answer(5)).result?.pid as number;
  expect(home.heardBy(second).map(({ id, method }) => id ?? method)).toEqual([
    0,
    'notifications/initialized',
    'level',
    3,
    5,
  ]);
  expect(client.lines.map(({ id }) => id).filter((id) => id !== undefined)).toEqual([0, 'level', 2, 3, 4, 5]);
});

test('a stateless session continues: the listen is reopened under its ID', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  const listen = {
    id: 'listen:0',
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true } },
  };
  client.say({ id: 'probe', method: 'server/discover', params: {} }, listen);
  const first = (await client.answer('probe')).result?.pid as number;
  await client.line(({ method }) => method === 'notifications/subscriptions/acknowledged');
  await home.killCore();
  client.say(list(1));
  const second = (await client.answer(1)).result?.pid as number;
  expect(second).not.toBe(first);
  expect(home.heardBy(second).map(({ id }) => id)).toEqual(['listen:0', 1]);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 'listen:0' };
  expect(client.lines.slice(2).filter(({ id }) => id === undefined)).toEqual([{ ...listChanged, params: { _meta } }]);
});

test('sends a reading request in flight again instead of failing it, but only once', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  const first = await openSession(client);
  client.say({ id: 1, method: 'tools/list', params: { name: 'hang' } });
  await until(() => home.heardBy(first).length === 3);
  await home.killCore();
  await until(() => home.records('listening').length === 2);
  const second = Number(home.records('listening')[1]);
  await until(() => home.heardBy(second).length === 3);
  expect(client.lines.filter(({ id }) => id === 1)).toEqual([]);
  await home.killCore();
  expect((await client.answer(1)).error?.message).toMatch(/restarted/);
});

test('cancels what a lost core asked the client, and drops the late response', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  client.say(call(1, 'ask'));
  await client.line(({ method }) => method === 'sampling/createMessage');
  await home.killCore();
  const cancelled = await client.line(({ method }) => method === 'notifications/cancelled');
  expect(cancelled.params?.['requestId']).toBe('core-1');
  client.say({ id: 'core-1', result: { late: true } }, call(2, 'echo'));
  const second = (await client.answer(2)).result?.pid as number;
  expect(home.heardBy(second).map(({ id }) => id)).toEqual([0, undefined, 2]);
});

test('reconnects to a core that was started meanwhile, without starting one', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  await home.killCore();
  using replacement = await home.startCore();
  await client.line(({ method }) => method === 'notifications/tools/list_changed');
  expect(home.records('starts')).toHaveLength(2);
  // The core writes what it receives to a file, with a delay.
  await expect
    .poll(() => home.heardBy(replacement.pid as number).map(({ method }) => method))
    .toEqual(['initialize', 'notifications/initialized']);
});

test.runIf(allCases)('passes a line of 20 MB byte for byte both ways', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  const text = 'ä"\\{[😀'.repeat(1_800_000);
  const sent = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/mirror', params: { text } })}\n`);
  expect(sent.length).toBeGreaterThan(20_000_000);
  client.child.stdout?.removeAllListeners('data');
  const [hash, done] = [createHash('sha256'), Promise.withResolvers<void>()];
  let size = 0;
  client.child.stdout?.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    size += chunk.length;
    if (size >= sent.length) done.resolve();
  });
  client.child.stdin?.write(sent);
  await done.promise;
  expect(size).toBe(sent.length);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
});

test('fails a long line that the loss of the core cut, and does not send it to the next core', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  const beginning = `{"jsonrpc":"2.0","method":"tools/call","params":{"text":"${'x'.repeat(500_000)}`;
  // Written: all but what fits a pipe has passed the shim.
  await new Promise((resolve) => client.child.stdin?.write(beginning, resolve));
  await home.killCore();
  client.child.stdin?.write(`${'y'.repeat(200_000)}"},"id":"cut"}\n`);
  client.say(list(2));
  const second = (await client.answer(2)).result?.pid as number;
  expect((await client.answer('cut')).error?.message).toMatch(/restarted/);
  expect(home.heardBy(second).map(({ id }) => id)).toEqual([0, undefined, 2]);
});

test.runIf(allCases)(
  'fails each request with the reason if the core cannot start, and retries at the next one',
  async () => {
    using home = new TestHome();
    const script = join(home.path, 'broken.mjs');
    writeFileSync(script, "console.error('the disk is full'); process.exit(3);");
    home.env['TOOLTRAY_CORE_COMMAND'] = JSON.stringify([process.execPath, script]);
    using client = new ShimClient(home.env);
    client.say(initialize);
    const { error } = await client.answer(0);
    expect(error?.message).toMatch(/could not be started: it exited with code 3\..*the disk is full/);
    await until(() => client.stderr.includes('the disk is full'));
    using _core = await home.startCore();
    client.say({ ...initialize, id: 1 });
    expect((await client.answer(1)).result?.method).toBe('initialize');
  },
);

test('a core that rejects the shim is not started again, and its reason is returned', async () => {
  using home = new TestHome();
  using _core = await home.startCore();
  appendFileSync(join(home.path, 'run', 'token'), 'x');
  using client = new ShimClient(home.env);
  client.say(initialize);
  expect((await client.answer(0)).error?.message).toMatch(
    /The token of the connection is not valid for this Tooltray\./,
  );
  expect(home.records('starts')).toHaveLength(1);
});

test('answers requests that a shell pipes in before the shim ends', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  client.say(initialize, initialized);
  client.child.stdin?.end(JSON.stringify({ jsonrpc: '2.0', ...call('last', 'echo') }));
  expect(await client.exit()).toBe(0);
  expect((await client.answer('last')).result?.method).toBe('tools/call');
});

test('closing stdin ends the shim even if a call never returns', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  client.say(call(1, 'hang'));
  client.child.stdin?.end();
  expect(await client.exit()).toBe(0);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends the shim at once, and the core it started stays', async (signal) => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  const pid = await openSession(client);
  client.child.kill(signal);
  expect(await client.exit()).toBe(0);
  expect(process.kill(pid, 0)).toBe(true);
});

test('a client that does not read slows the core down and still gets everything', async () => {
  using home = new TestHome();
  using client = new ShimClient(home.env);
  await openSession(client);
  client.child.stdout?.pause();
  const text = 'x'.repeat(10_000);
  for (let id = 1; id <= 1000; id++) client.say({ id, method: 'tools/call', params: { name: 'echo', text } });
  await until(() => home.records('heard').length > 100);
  client.child.stdout?.resume();
  await client.answer(1000);
  expect(client.lines.map(({ id }) => id)).toEqual(Array.from({ length: 1001 }, (_, id) => id));
});

test('rejects an unknown argument by name, and writes nothing to stdout', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src-main/shim.ts'), '--colour', 'red']);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, out.length]).toEqual([2, 0]);
  expect(Buffer.concat(err).toString()).toContain('"--colour"');
});
