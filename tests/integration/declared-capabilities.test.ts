/**
 * Capabilities outside the specification: declared where they are served, and passed on if both sides declared them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import type { Params } from '../support/raw-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startCore, type TestCore } from '../support/start-core.ts';

const script = (capabilities: Params): object => ({
  command: process.execPath,
  args: [new URL('../core/servers/scripted-server.ts', import.meta.url).pathname, JSON.stringify({ capabilities })],
});
const tools = { listChanged: true };
const channel = 'notifications/claude/channel';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({
    servers: {
      says: script({
        tools,
        experimental: { 'claude/channel': {} },
        extensions: { 'io.modelcontextprotocol/unknown': {}, 'com.example/feed': {} },
      }),
      silent: script({ tools }),
    },
  });
});
afterAll(() => core[Symbol.asyncDispose]());

/** A server sends two notifications, of which the second is always passed on; returns the received methods. */
async function heard(client: SocketClient, server: string, method: string): Promise<unknown[]> {
  await client.callTool(`${server}_announce`, { method, params: { text: 'x' } });
  await client.callTool(`${server}_announce`, {
    method: 'notifications/message',
    params: { level: 'info', data: 'end' },
  });
  await client.notification('notifications/message');
  return client.notifications.map((one) => one.method).filter((one) => one !== 'notifications/message');
}

test.each<[declares: string, capabilities: Params, server: string, method: string, passes: boolean]>([
  ['both', { experimental: { 'claude/channel': {} } }, 'says', channel, true],
  ['both, of a part of it', { experimental: { 'claude/channel': {} } }, 'says', `${channel}/permission`, true],
  ['both, as an extension', { extensions: { 'com.example/feed': {} } }, 'says', 'notifications/com.example/feed', true],
  ['the server alone', {}, 'says', channel, false],
  ['the client app alone', { experimental: { 'claude/channel': {} } }, 'silent', channel, false],
  ['nobody', {}, 'silent', 'notifications/vendor/thing', false],
  ['both something else', { experimental: { 'claude/channel': {} } }, 'says', 'notifications/claude/channels', false],
])('a vendor notification that is declared by %s', async (_who, capabilities, server, method, passes) => {
  const client = await core.open(capabilities);
  expect(await heard(client, server, method)).toEqual(passes ? [method] : []);
  client.end();
  await client.closed;
});

test('declares what servers declare as experimental, and only the extensions that it serves', async () => {
  const client = await core.connect();
  const { capabilities } = await client.initialize({ extensions: { 'com.example/feed': {} } });
  expect(capabilities).toMatchObject({
    experimental: { 'claude/channel': {} },
    extensions: { 'com.example/feed': {} },
  });
  expect((capabilities as Params)['extensions']).not.toHaveProperty('io.modelcontextprotocol/unknown');
});

test('declares at the endpoint of one server everything that the server declares', async () => {
  const client = new HttpClient(`${core.url}/server/says`);
  const { capabilities } = await client.initialize({ extensions: { 'io.modelcontextprotocol/unknown': {} } });
  expect((capabilities as Params)['extensions']).toHaveProperty('io.modelcontextprotocol/unknown');
});
