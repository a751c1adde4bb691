/** Cached results, with a real server that counts its calls. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Params } from '../support/raw-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const counting = { command: process.execPath, args: [join(import.meta.dirname, 'servers/counting.ts')] };
const cached = { servers: { counting }, results: { cacheSeconds: { counting: 3600 } } };

/** The count that a tool returns, and whether it comes from the cache. */
async function ask(client: SocketClient, tool: string): Promise<string> {
  const { content, _meta } = await client.callTool(tool);
  const [, count] = (content as { text: string }[])[0]?.text.split(' ') ?? [];
  return (_meta as Params | undefined)?.['tooltray/cached'] === undefined ? `${count}` : `${count} again`;
}

test('runs a read-only tool once for all sessions and modes, and one that writes each time', async () => {
  await using core = await startCore(cached);
  const [one, other] = [await core.open(), await core.open({}, { mode: 'search' })];
  expect([await ask(one, 'look'), await ask(one, 'look'), await ask(other, 'look')]).toEqual([
    '1',
    '1 again',
    '1 again',
  ]);
  const through = await other.callTool('call_tool', { name: 'look' });
  expect(through['_meta']).toHaveProperty(['tooltray/cached']);
  expect([await ask(one, 'write'), await ask(one, 'write')]).toEqual(['1', '2']);
});

test('caches nothing unless the user has set a time', async () => {
  await using core = await startCore({ servers: { counting } });
  const client = await core.open();
  expect([await ask(client, 'look'), await ask(client, 'look')]).toEqual(['1', '2']);
});

test('calls a server again once its tools have changed', async () => {
  await using core = await startCore(cached);
  const client = await core.open();
  expect([await ask(client, 'look'), await ask(client, 'look')]).toEqual(['1', '1 again']);
  await client.callTool('change');
  await until(() => core.server('counting').listing.tools.some(({ name }) => name === 'changed_1'));
  expect([await ask(client, 'look'), await ask(client, 'look')]).toEqual(['2', '2 again']);
});

test('calls a server again once it has restarted', async () => {
  await using core = await startCore(cached);
  const client = await core.open();
  const pid = Number((await client.say('look')).split(' ')[0]);
  process.kill(pid, 'SIGKILL');
  await until(() => core.server('counting').state.kind !== 'ready');
  await core.server('counting').retry();
  expect([await ask(client, 'look'), await ask(client, 'look')]).toEqual(['1', '1 again']);
  expect(Number((await client.say('look')).split(' ')[0])).not.toBe(pid);
});
