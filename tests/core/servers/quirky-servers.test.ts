/** Stdio servers with quirks seen in the field. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { contextOf, failure, say, serversHarness, toolNames } from './servers-harness.ts';

const tools = ['echo', 'tick', 'starts'];

test.each(['idsAsStrings', 'idsAsFractions'])(
  'lists and calls tools of a server that returns ids in another form (%s)',
  async (quirk) => {
    const harness = serversHarness();
    const server = harness.server(harness.fixture('a', 'quirky', [quirk], { initTimeoutMs: 10_000 }));
    await server.ready();
    const progress: unknown[] = [];
    const context = contextOf('anna', { onProgress: (params) => progress.push(params) });
    const params = { name: 'tick', arguments: {}, _meta: { progressToken: 'theirs' } };
    await server.request('tools/call', params, context);
    expect([toolNames(server), progress]).toEqual([tools, [{ progressToken: 'theirs', progress: 1, message: 'half' }]]);
  },
);

test('logs JSON log lines on stdout without responding to them or passing them on', async () => {
  const harness = serversHarness();
  const log = `${harness.folder}/heard`;
  const server = harness.server(harness.fixture('a', 'quirky', ['logsJson', `log:${log}`]));
  const notified: string[] = [];
  server.notified.on(({ method }) => notified.push(method));
  await server.ready();
  expect(await say(server, 'echo', { message: 'hi' })).toBe('hi');
  expect(await say(server, 'starts')).toBe('1');
  expect([notified, readFileSync(log, 'utf8').includes('answer')]).toEqual([[], false]);
  expect(harness.oddities.filter((text) => text.includes('"method":"GET"'))).toHaveLength(2);
});

describe('Server that accepts only initialize as its first message', () => {
  test.each(['exit', 'fail', 'abort', 'close'])(
    'is restarted with initialize if it ends by %s, and that is remembered',
    async (how) => {
      const harness = serversHarness();
      const server = harness.server(harness.fixture('a', 'quirky', [`endsUnlessGreeted:${how}`]));
      await server.start();
      expect([server.state.kind, toolNames(server)]).toEqual(['ready', tools]);
      // It is remembered.
      process.kill(harness.pids('a')[1] as number);
      await until(() => harness.pids('a').length > 2 && server.state.kind === 'ready');
      expect(harness.pids('a')).toHaveLength(3);
    },
  );

  test('is asked by initialize at its next start if it stops responding', async () => {
    const harness = serversHarness();
    const server = harness.server(harness.fixture('a', 'quirky', ['endsUnlessGreeted:mute'], { initTimeoutMs: 4500 }));
    await server.start();
    expect(server.state).toMatchObject({ kind: 'error', error: { code: 'server_timeout' } });
    await server.retry();
    expect(toolNames(server)).toEqual(tools);
  });

  test('is restarted with initialize for the process of one session', async () => {
    const harness = serversHarness();
    const server = harness.server(harness.fixture('a', 'quirky', ['endsUnlessGreeted:fail']));
    await server.ready();
    expect(await say(server, 'echo', { message: 'hi' }, contextOf('bob'))).toBe('hi');
  });
});

test('starts a server that ends at once twice, and retries it later', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('a', 'misbehaving', ['crash-at-start']));
  await server.start();
  expect([server.state.kind, harness.pids('a').length]).toEqual(['error', 2]);
});

describe('Lists', () => {
  test('are read again if they fail while the server warms up, and none is accepted before', async () => {
    const harness = serversHarness();
    const server = harness.server(harness.fixture('a', 'quirky', [`failsLists:2,${harness.folder}/lists`]));
    await server.start();
    expect([server.state.kind, server.listedAt, server.health.level]).toEqual(['ready', undefined, 'attention']);
    await until(() => server.listedAt !== undefined);
    expect([toolNames(server), server.health.level]).toEqual([tools, 'ok']);
  });

  test('include tools if the server does not declare them', async () => {
    const harness = serversHarness();
    const server = harness.server(harness.fixture('a', 'quirky', ['declaresNoTools']));
    await server.start();
    expect(toolNames(server)).toEqual(tools);
  });

  test('do not report undeclared tools that do not exist', async () => {
    const harness = serversHarness();
    const quirks = ['declaresNoTools', `failsLists:99,${harness.folder}/lists`];
    const server = harness.server(harness.fixture('a', 'quirky', quirks));
    await server.start();
    expect([toolNames(server), server.health.level]).toEqual([[], 'ok']);
  });
});

test('waits for the restart after each exit of a server that exits after every call', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('a', 'quirky', ['endsAfterCall']));
  await server.ready();
  for (const message of ['one', 'two', 'three', 'four']) {
    expect(await say(server, 'echo', { message })).toBe(message);
    await until(() => server.state.kind === 'error');
  }
});

test('waits for the restart if a call comes right after the server exited', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('a'));
  await server.ready();
  await failure(say(server, 'exit'));
  expect(await say(server, 'echo', { message: 'hi' })).toBe('hi');
});
