/** An app over HTTP counts as connected while it is present, not while its session is retained. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionStatuses } from '../../src-main/rpc/deps.ts';
import { HttpClient } from '../support/http-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({ servers: { echo: fixture('echo') } });
});
afterAll(() => core[Symbol.asyncDispose]());

const connected = (): number => sessionStatuses(core.host.core).length;

test('removes a session at once that its app deletes', async () => {
  const client = new HttpClient(core.url);
  await client.initialize();
  expect(connected()).toBe(1);
  await client.end();
  expect(connected()).toBe(0);
});

test('removes an app whose stream ended, and restores it when it sends another request', async () => {
  const client = new HttpClient(core.url);
  await client.initialize();
  const leave = new AbortController();
  const listening = Promise.withResolvers<void>();
  const stream = client.listen(() => listening.resolve(), leave.signal).catch(() => undefined);
  await listening.promise;
  expect(connected()).toBe(1);
  let told = 0;
  core.host.core.clients.sessions.changed.on(() => (told += 1));
  leave.abort();
  await stream;
  await until(() => told > 0 && connected() === 0);
  await client.exchange('tools/list');
  expect(connected()).toBe(1);
});
