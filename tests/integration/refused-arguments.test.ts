/** What a server refuses for its arguments is answered with the schema they do not fit, once, whichever way the call came. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modes } from '../../src-main/core/mode-list.ts';
import type { Params } from '../support/raw-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const line =
  'Schema of rail_book: {"type":"object","properties":{"day":{"type":"string","description":"When the journey begins, in the words of the people who travel"},"seats":{"type":"integer","minimum":1}},"required":["day","seats"]}';

let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  const refusing = { command: process.execPath, args: [join(import.meta.dirname, 'servers/refusing.ts')] };
  core = await startCore({ servers: { rail: refusing, a: fixture('compat', 'A') } });
  client = await core.open({}, { mode: 'proxy' });
});
afterAll(() => core[Symbol.asyncDispose]());

/** What came of it as one text, be it an answer or an error. */
async function told(one: SocketClient, name: string, args: Params): Promise<string> {
  try {
    const { content } = await one.callTool(name, args);
    return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a direct call', () => {
  test('that the server refuses by an error has the schema in its message, and the rest of the error as it was', async () => {
    const error = await client.callTool('rail_book', { day: 'rpc', seats: 1 }).then(
      () => undefined,
      (one: unknown) => one,
    );
    expect(error).toMatchObject({ code: -32602, data: { at: 'day' } });
    expect((error as Error).message).toBe(`bad day\n${line}`);
  });

  test("that it refuses in a result has it in the text, whether our own check sees what is wrong or the server's words say it", async () => {
    const unfit = await client.callTool('rail_book', { day: 'Monday' });
    expect(unfit).toEqual({
      content: [{ type: 'text', text: `seats?\n${line}` }],
      isError: true,
      hint: 7,
      _meta: { a: 1 },
    });
    expect(textOf(await client.callTool('rail_book', { day: 'sdk', seats: 2 }))).toMatch(/tool book\nSchema of rail_/);
  });

  test.each(['gone', 'boom', 'full'])('that fails for another reason (%s) has none', async (day) => {
    expect(await told(client, 'rail_book', { day, seats: 1 })).not.toContain('chema');
  });

  test('that ends well has none', async () => {
    expect(textOf(await client.callTool('rail_book', { day: 'Monday', seats: 1 }))).toBe('booked');
  });

  test('through an endpoint of one server passes untouched', async () => {
    const alone = new Client({ name: 'alone', version: '1.0.0' });
    await alone.connect(new StreamableHTTPClientTransport(new URL(`${core.url}/server/rail`)));
    const { content } = await alone.callTool({ name: 'book', arguments: { day: 'Monday' } });
    expect(content).toEqual([{ type: 'text', text: 'seats?' }]);
    await alone.close();
  });
});

const args = { day: 'rpc', seats: 1 };
const ways: readonly (readonly [string, Params])[] = [
  ['call_tool', { name: 'rail_book', arguments: args }],
  ['invoke', { name: 'rail_book', args }],
  ['rail', { tool: 'book', arguments: args }],
  ['call_tool_read', { name: 'rail:book', args }],
  ['call_tool_write', { name: 'rail:book', args }],
  ['call_tool_destructive', { name: 'rail:book', args }],
  ['proxy', { action: 'call', type: 'tool', path: 'rail_book', args }],
  ['proxy-dispatch', { action: 'call', connection: 'rail', tool: 'book', params: args }],
  ['execute', { language: 'javascript', code: `return await call_tool("rail_book", ${JSON.stringify(args)})` }],
  ['code_execution', { code: `call_tool("rail", "book", ${JSON.stringify(args)})` }],
];

describe.each(modes.map(({ name }) => name))('in mode %s', (mode) => {
  let one: SocketClient;
  beforeAll(async () => {
    one = await core.open({}, { mode });
  });

  test.each(ways)('%s tells the schema, and tells it once', async (name, input) => {
    for (const [day, isRefused] of [
      ['rpc', true],
      ['sdk', true],
      ['full', false],
    ] as const) {
      const asked = JSON.parse(JSON.stringify(input).replaceAll('rpc', day)) as Params;
      const text = await told(one, name, asked);
      expect({ text, times: text.split('minimum').length - 1 }).toEqual({ text, times: isRefused ? 1 : 0 });
    }
  });
});
