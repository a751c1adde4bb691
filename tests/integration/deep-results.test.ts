/** Results that are nested deeper than JavaScript can process: the call fails, and nothing else is affected. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
beforeAll(async () => {
  core = await startCore({ servers: { deep: fixture('deep') } });
});
afterAll(() => core[Symbol.asyncDispose]());

test.each([
  [490, '1'],
  [490, '1.50'],
])('passes %i nested lists around %s unchanged', async (depth, number) => {
  const client = await core.open();
  await client.callTool('deep', { depth, number });
  expect(client.lines.at(-1)).toContain('['.repeat(depth) + number + ']'.repeat(depth));
});

const tooDeep = expect.stringMatching(/deep.*nested too deeply/s) as string;

test.each([
  [20_000, '1'],
  [20_000, '1.50'],
  [600_000, '1'],
])(
  'returns an error that names the server for %i lists around %s, in both protocols, and goes on',
  async (depth, number) => {
    const [legacy, modern] = [await core.open(), await core.connect()];
    const args = { depth, number };
    const first = await legacy.callTool('deep', args);
    const { result = {} } = await new ModernClient(modern).once('tools/call', { name: 'deep', arguments: args });
    expect([first['isError'], textOf(first), textOf(result)]).toEqual([true, tooDeep, tooDeep]);
    expect(await legacy.callTool('deep', { depth: 1, number: 7 })).toMatchObject({
      structuredContent: { nested: [7] },
    });
  },
);

const lists = '['.repeat(20_000) + '1.5' + ']'.repeat(20_000);

test('rejects arguments that are nested as deeply, over the socket, over HTTP, and as JSON text', async () => {
  const client = await core.open();
  const call = (id: number, args: string): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"deep","arguments":${args}}}`;
  client.writeText(call(50, `{"depth":1,"number":${lists}}`));
  expect((await client.answer(50)).message.error?.message).toContain('nested too deeply');
  expect(await client.say('call_tool', { name: 'deep', args_json: `{"depth":1,"number":${lists}}` })).toContain(
    'args_json',
  );
  const http = new HttpClient(core.url);
  await http.initialize();
  expect((await http.exchangeText(51, call(51, `{"depth":1,"number":${lists}}`))).message.error?.code).toBe(-32700);
  expect(await client.callTool('deep', { depth: 1, number: 7 })).toMatchObject({ structuredContent: { nested: [7] } });
});
