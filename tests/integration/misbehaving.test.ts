/** Servers that violate the protocol: each fails its own calls with a clear error, and affects no other. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { AppError } from '../../src-main/core/base/errors.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, ready, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const other = fixture('echo');
const bad = (...args: string[]): object => fixture('misbehaving', ...args);

async function othersWork(client: SocketClient): Promise<void> {
  expect(await client.say('other_echo', { message: 'well' })).toBe('well');
}

/** For a server with a time limit so short that a busy computer may miss it. */
const goesOn = (client: SocketClient): Promise<void> =>
  expect.poll(() => client.say('bad_echo', { message: 'goes on' })).toBe('goes on');

/** Resolves when the core has logged that. */
function noted(core: TestCore, words: RegExp): Promise<void> {
  const file = join(core.host.paths.logDir, 'core.log');
  return until(() => existsSync(file) && words.test(readFileSync(file, 'utf8')));
}

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

test('reports a command that prints garbage and exits, with its exit code, and retries it', async () => {
  await using core = await startCore({ servers: { bad: bad('garbage'), other } });
  // While the other one still starts, it may be on its next attempt.
  const { error } = core.server('bad').state as { error?: AppError };
  expect(error?.message).toMatch(/^bad .*code 1/);
  await expect.poll(() => core.server('bad').health.detail).toMatch(/ \d+ s\.$/);
  await othersWork(await core.open());
});

test('logs stray lines between messages and ignores them', async () => {
  await using core = await startCore({ servers: { bad: bad('noisy'), other } });
  const client = await core.open();
  expect(await client.say('bad_echo', { message: 'through the noise' })).toBe('through the noise');
  expect(core.server('bad').state.kind).toBe('ready');
  await noted(core, /Server is running on stdio!/);
});

test('uses the first of two responses, logs the second, and the next call gets its own', async () => {
  await using core = await startCore({ servers: { bad: bad('twice'), other } });
  const client = await core.open();
  for (const message of ['one', 'two', 'three']) expect(await client.say('bad_echo', { message })).toBe(message);
  expect(client.lines.filter((line) => line.includes('the second answer'))).toEqual([]);
  await noted(core, /which is not pending/);
});

test('a call without a response ends at its timeout with an error that names server and limit', async () => {
  await using core = await startCore({ servers: { bad: { ...bad('never'), callTimeoutSeconds: 0.5 }, other } });
  const client = await core.open();
  const hanging = client.callTool('bad_hang');
  await othersWork(client);
  expect(await hanging).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^bad: No response to tools\/call within 0\.5 s/) as string }],
  });
  await goesOn(client);
});

test('a call without a response can be cancelled, and the server goes on', async () => {
  await using core = await startCore({ servers: { bad: bad('never'), other } });
  const client = await core.open();
  void client.exchange('tools/call', { name: 'bad_hang', arguments: {} }, { id: 'hanging' });
  await othersWork(client);
  client.notify('notifications/cancelled', { requestId: 'hanging' });
  expect(await client.say('bad_echo', { message: 'goes on' })).toBe('goes on');
  expect(client.lines.filter((line) => line.includes('"hanging"'))).toEqual([]);
});

test('logs a response to an unknown request, and the call it belonged to times out', async () => {
  await using core = await startCore({ servers: { bad: { ...bad('wrong-id'), callTimeoutSeconds: 0.5 }, other } });
  const client = await core.open();
  expect(await client.callTool('bad_wrong', { message: 'lost' })).toMatchObject({ isError: true });
  await noted(core, /987654321.*not pending/);
  await goesOn(client);
});

test('a response with neither result nor error, or with a result that is not an object, fails the call at once', async () => {
  await using core = await startCore({ servers: { bad: bad('not-an-answer'), other } });
  const client = await core.open();
  for (const tool of ['bad_half', 'bad_list']) {
    const { message } = await client.exchange('tools/call', { name: tool, arguments: {} });
    const text = message.error?.message ?? JSON.stringify(message.result);
    expect(text).toContain('bad');
    expect(message.error !== undefined || message.result?.['isError'] === true).toBe(true);
  }
  expect(await client.say('bad_echo', { message: 'goes on' })).toBe('goes on');
});

test('a silent server is an error after its start timeout, and delays no other', async () => {
  await using core = await startCore({ servers: { other } });
  await core.write({ servers: { other, bad: { ...bad('silent'), initTimeoutSeconds: 0.5 } } });
  await until(() => core.host.core.servers.manager.find('bad')?.state.kind === 'error');
  expect(core.server('bad').state).toMatchObject({
    error: { message: expect.stringMatching(/^bad.*within 0\.5 s/) as string },
  });
  const client = await core.open();
  // The list is available during an attempt, which on a busy computer may take several attempts to observe.
  const listedMeanwhile = async (): Promise<unknown[]> => {
    await until(() => core.server('bad').state.kind === 'connecting');
    const before = core.server('bad').state;
    return [await client.toolNames(), core.server('bad').state === before];
  };
  await expect.poll(listedMeanwhile).toEqual([['other_echo'], true]);
});

test('other servers can be called at once while a server hangs at its start', async () => {
  await using core = await startCore({ servers: { bad: bad('silent'), other } }, { settled: false });
  const client = await core.open();
  await othersWork(client);
  expect(core.server('bad').state.kind).toBe('connecting');
});

test('retries a server that crashes at every start at growing intervals, without delaying others', async () => {
  await using core = await startCore({ servers: { bad: bad('crash-at-start'), other } });
  const server = core.server('bad');
  const delays: number[] = [];
  const failures: number[] = [];
  server.changed.on(() => {
    if (server.state.kind !== 'error') return;
    failures.push(server.state.failures);
    delays.push(server.state.retryAt - Date.now());
  });
  await othersWork(await core.open());
  await until(() => failures.length >= 1);
  expect(failures[0]).toBe(2);
  expect(delays[0]).toBeGreaterThan(1000);
  expect(server.state).toMatchObject({
    error: { message: expect.stringContaining('Fatal: the fixture crashes on purpose') as string },
  });
});

test('a server that fails to start twice starts at the third try, with a list_changed', async () => {
  folder = mkdtempSync(join(tmpdir(), 'tooltray-flaky-'));
  await using core = await startCore({ servers: { bad: bad('flaky', join(folder, 'starts'), '2'), other } });
  const client = await core.open();
  expect(await client.toolNames()).toEqual(['other_echo']);
  await client.notification('notifications/tools/list_changed');
  expect(await client.toolNames()).toEqual(['bad_echo', 'bad_starts', 'other_echo']);
  expect(await client.say('bad_starts')).toBe('3');
});

test("a crash during a call fails it with the server's last output, and warns against a blind retry", async () => {
  await using core = await startCore({ servers: { bad: bad('crash-on-call'), other } });
  const client = await core.open();
  expect(await client.callTool('bad_crash')).toMatchObject({
    isError: true,
    content: [
      {
        text: expect.stringMatching(
          /^bad exited with code 7.*crashes on purpose.*The call may have taken effect\. Check before you repeat it\./s,
        ) as string,
      },
    ],
  });
  await othersWork(client);
  await ready(core.server('bad'));
  expect(await client.say('bad_echo', { message: 'back' })).toBe('back');
});

test.each([
  ['whose pages never end gives a thousand pages', 'endless-cursor', 1000, /tools\/list does not end/],
  ['that repeats its cursor gives what it has', 'repeat-cursor', 1, /tools\/list repeats the cursor "again"/],
  ['whose list fails gives none', 'list-error', 0, /The list is lost/],
  ['whose list is no list gives none', 'not-a-list', 0, /returned no list\./],
])('a server %s and reports it in its health; its calls and other servers work', async (_what, mode, count, words) => {
  await using core = await startCore({ servers: { bad: bad(mode), other } });
  const server = core.server('bad');
  expect([server.state.kind, server.health.level, new Set(server.listing.tools.map(({ name }) => name)).size]).toEqual([
    'ready',
    'attention',
    count,
  ]);
  expect(server.health.detail).toMatch(words);
  const client = await core.open();
  expect((await client.toolNames()).filter((name) => name.startsWith('bad_'))).toHaveLength(count);
  if (count > 0) expect(await client.say('bad_echo', { message: 'works' })).toBe('works');
  await othersWork(client);
});

test('a server that floods its stderr is not blocked', async () => {
  await using core = await startCore({ servers: { bad: bad('flood-stderr', '32'), other } });
  const client = await core.open();
  expect(await client.say('bad_echo', { message: 'works' })).toBe('works');
  await othersWork(client);
});

test('replaces bytes that are not UTF-8, and the client app can parse the result', async () => {
  await using core = await startCore({ servers: { odd: fixture('odd'), other } });
  const client = await core.open();
  expect(await client.say('odd_bad_utf8')).toMatch(/^before \ufffd \ufffd after$/);
  await othersWork(client);
});
