/** A link in a result is read from the server that returned it, in every mode; an unknown URI from none. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Params } from '../support/raw-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({ servers: { a: fixture('linker', 'a'), b: fixture('linker', 'b') } });
});
afterAll(() => core[Symbol.asyncDispose]());

const read = (client: SocketClient, uri: string): Promise<string> =>
  client.request('resources/read', { uri }).then(
    (result) => JSON.stringify(result),
    (error: Error & { readonly code?: number }) => `${error.code}: ${error.message}`,
  );

test.each([
  ['proxy', 'b_give', (args: Params): Params => args],
  ['search', 'call_tool', (args: Params): Params => ({ name: 'b:give', arguments: args })],
  ['retrieve', 'call_tool_destructive', (args: Params): Params => ({ name: 'b:give', args })],
  ['dispatch', 'proxy-dispatch', (args: Params): Params => ({ action: 'call', tool: 'b:give', arguments: args })],
])('in mode %s', async (mode, tool, input) => {
  const client = await core.open({}, { mode });
  const uri = `hidden://${mode}`;
  expect(await read(client, uri)).toContain(`tooltray://SERVER/${uri}, with one of: a, b.`);
  await client.callTool(tool, input({ uri }));
  expect(await read(client, uri)).toContain(`b says what ${uri} is`);
});

test('in a megabyte result, in a prompt, and in a resource that was read', async () => {
  const client = await core.open({}, { mode: 'proxy' });
  await client.callTool('a_give', { uri: 'hidden://big "quoted"', bytes: 1_500_000 });
  expect(await read(client, 'hidden://big "quoted"')).toContain('a says what');
  await client.request('prompts/get', { name: 'b_hint' });
  expect(await read(client, 'note://b/hinted')).toContain('b says what');
  expect(await read(client, 'note://b/below')).toContain('b says what');
});

test('finds a link only in the session that was shown it, and asks back if two servers have shown it', async () => {
  const [one, other] = [await core.open({}, { mode: 'proxy' }), await core.open({}, { mode: 'proxy' })];
  for (const server of ['a', 'b']) await one.callTool(`${server}_give`, { uri: 'hidden://both' });
  expect(await read(one, 'hidden://both')).toContain('tooltray://a/hidden://both or tooltray://b/hidden://both');
  expect(await read(one, 'tooltray://b/hidden://both')).toContain('b says what hidden://both is');
  expect(await read(other, 'hidden://both')).toMatch(/^-32602: /);
});
