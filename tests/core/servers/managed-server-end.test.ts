/** How a server and its calls end: idle, timed out or stopped. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { contextOf, failure, isAlive, matching, say, serversHarness, toolNames } from './servers-harness.ts';
import { until } from '../../support/until.ts';

test('stops an idle server, and the next call starts it again', async () => {
  let now = 0;
  const harness = serversHarness({ now: () => now });
  const server = harness.server(harness.scripted('s', {}, { idleTimeoutMs: 100 }));
  await server.ready();
  const first = Number(await say(server, 'pid'));
  now += 101;
  await until(() => !isAlive(first));
  expect([server.state.kind, toolNames(server)[0]]).toEqual(['disconnected', 'echo']);
  expect(Number(await say(server, 'pid'))).not.toBe(first);
});

test('sends a call that arrives while the idle process ends to the next process', async () => {
  let now = 0;
  const harness = serversHarness({ now: () => now });
  const server = harness.server(harness.scripted('s', { lingersMs: 300 }, { idleTimeoutMs: 100 }));
  await server.ready();
  const ending = Promise.withResolvers<boolean[]>();
  server.changed.on(() => {
    if (server.state.kind === 'disconnected') ending.resolve(harness.pids('s').map(isAlive));
  });
  now += 100;
  expect(await ending.promise).toEqual([true]);
  expect(await say(server, 'echo', { message: 'in time' })).toBe('in time');
  await server.ready();
  expect([server.state.kind, harness.pids('s').map(isAlive)]).toEqual(['ready', [false, true]]);
});

test('does not count a server with a call in flight as idle', async () => {
  let now = 0;
  const harness = serversHarness({ now: () => now });
  const server = harness.server(harness.scripted('s', {}, { idleTimeoutMs: 100 }));
  await server.ready();
  const slow = say(server, 'tick', { times: 1, everyMs: 100 });
  await until(() => harness.heard('s').some(({ params }) => params?.['name'] === 'tick'));
  now += 101;
  expect(await slow).toBe('ticked');
});

test('times out a call, and progress resets the timeout', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', {}, { callTimeoutMs: 400 }));
  await server.ready();
  // The fake clock advances in steps, whatever time that takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const seen: JsonObject[] = [];
  const onProgress = (params: JsonObject): void => {
    seen.push(params);
    vi.advanceTimersByTime(150);
  };
  const hanging = failure(say(server, 'hang'));
  const ticking = say(server, 'tick', { times: 6, everyMs: 10 }, contextOf('anna', { onProgress }));
  expect(await hanging).toMatchObject({
    code: 'call_timeout',
    message: matching(/^s: No response to tools\/call/),
  });
  expect([await ticking, seen.length]).toEqual(['ticked', 6]);
  vi.useRealTimers();
  expect(await say(server, 'echo', { message: 'still there' })).toBe('still there');
  // Messages sent before that call arrive before its response.
  expect(harness.heard('s').filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(1);
});

test('ends the process of a stopped server and does not start it again', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  const hanging = failure(say(server, 'hang'));
  await server.stop();
  expect(harness.pids('s').map(isAlive)).toEqual([false]);
  await hanging;
  const errors = await Promise.all([
    failure(say(server, 'echo')),
    failure(server.ready()),
    failure(server.retry()),
    server.start(),
  ]);
  expect(errors.slice(0, 3)).toMatchObject(Array(3).fill({ code: 'server_not_started' }));
  expect(harness.pids('s')).toHaveLength(1);
});

test('stops a server that is starting or does not respond', async () => {
  const harness = serversHarness();
  const hanging = harness.server(harness.fixture('hanging', 'misbehaving', ['silent']));
  const queued = harness.server(harness.scripted('queued'));
  void hanging.start();
  await until(() => harness.pids('hanging').length === 1);
  void queued.start();
  await Promise.all([hanging.stop(), queued.stop()]);
  expect([...harness.pids('hanging'), ...harness.pids('queued')].filter(isAlive)).toEqual([]);
  expect(harness.registry.size).toBe(0);
});
