/** Limits the length of names in client requests of any method. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Params } from '../../support/raw-client.ts';
import type { SocketClient } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

const long = 'x'.repeat(1_000_000);
let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  core = await startCore({ servers: { a: fixture('compat', 'A') } });
  client = await core.open({}, { mode: 'search' });
});
afterAll(() => core[Symbol.asyncDispose]());

test.each<[method: string, params: Params]>([
  ['tools/call', { name: long }],
  ['tools/call', { name: `a_${long}`, arguments: {} }],
  ['prompts/get', { name: long }],
  ['resources/read', { uri: `file:///${long}` }],
  ['resources/subscribe', { uri: `file:///${long}` }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: long }, argument: { name: 'x', value: '' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: long }, argument: { name: 'x', value: '' } }],
  ['logging/setLevel', { level: long }],
])('rejects %s with a name of a megabyte in a short response', async (method, params) => {
  const { message, line } = await client.exchange(method, params);
  expect(message.error?.code).toBe(-32602);
  expect(line.length).toBeLessThan(1000);
});

test('returns a short error if a helper tool gets a name of a megabyte', async () => {
  const { message, line } = await client.exchange('tools/call', {
    name: 'call_tool',
    arguments: { name: `a:${long}` },
  });
  expect(message.result?.['isError']).toBe(true);
  expect(line.length).toBeLessThan(2000);
});
