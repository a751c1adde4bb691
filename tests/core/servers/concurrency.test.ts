/** `maxConcurrent` of a server: calls wait in a queue for a slot, leave it when cancelled, and the queue is limited. */
import { expect, test } from 'vitest';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import { until } from '../../support/until.ts';
import { contextOf, failure, serversHarness, type ServersHarness } from './servers-harness.ts';

const silent = { tools: ['t'].map((name) => ({ name, inputSchema: { type: 'object' } })), silentTo: ['tools/call'] };

async function limited(harness: ServersHarness, maxConcurrent: number): Promise<ManagedServer> {
  const server = harness.server({ ...harness.scripted('s', silent), maxConcurrent });
  await server.ready();
  return server;
}

/** A call that the server never answers unless it is cancelled. */
function startCall(server: ManagedServer, at: number): { cancel: () => void; failed: Promise<Error> } {
  const abort = new AbortController();
  const context = contextOf(`session-${at}`, { signal: abort.signal });
  const failed = failure(server.request('tools/call', { name: 't', arguments: { at } }, context));
  return { cancel: () => abort.abort('enough'), failed };
}

const received = (harness: ServersHarness): unknown[] =>
  harness
    .heard('s')
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => (params?.['arguments'] as { at: number } | undefined)?.at);

test('sends as many calls as are allowed, and the others in order as slots are given back', async () => {
  const harness = serversHarness();
  const server = await limited(harness, 2);
  const calls = [0, 1, 2, 3, 4].map((at) => startCall(server, at));
  await until(() => received(harness).length === 2);
  // A cancelled call leaves the queue without taking a slot.
  calls[2]?.cancel();
  expect(await calls[2]?.failed).toMatchObject({ code: 'cancelled' });
  expect(received(harness)).toEqual([0, 1]);
  calls[0]?.cancel();
  await until(() => received(harness).length === 3);
  calls[1]?.cancel();
  await until(() => received(harness).length === 4);
  expect(received(harness)).toEqual([0, 1, 3, 4]);
  for (const { cancel } of calls) cancel();
  await Promise.all(calls.map(({ failed }) => failed));
});

test('does not hold back other requests', async () => {
  const harness = serversHarness();
  const server = await limited(harness, 1);
  const call = startCall(server, 0);
  await until(() => received(harness).length === 1);
  expect(await server.request('tools/list', {}, contextOf('other'))).toHaveProperty('tools');
  call.cancel();
  await call.failed;
});

test('rejects a call if a hundred wait already, and takes new ones later', async () => {
  const harness = serversHarness();
  const server = await limited(harness, 1);
  const calls = Array.from({ length: 101 }, (_, at) => startCall(server, at));
  expect(await startCall(server, 101).failed).toMatchObject({ code: 'session_limit' });
  for (const { cancel } of calls) cancel();
  await Promise.all(calls.map(({ failed }) => failed));
  const last = startCall(server, 102);
  await until(() => received(harness).includes(102));
  expect(received(harness)).not.toContain(101);
  last.cancel();
  await last.failed;
});
