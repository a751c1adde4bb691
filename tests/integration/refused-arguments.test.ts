/** An error about arguments contains the schema that they do not fit, once, for every way of calling. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { allCases } from '../support/all-cases.ts';
import type { Params } from '../support/raw-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const line =
  'Schema of rail_book: {"type":"object","properties":{"day":{"type":"string","description":"When the journey begins, in the words of the people who travel"},"seats":{"type":"integer","minimum":1}},"required":["day","seats"]}';

let core: TestCore;
let client: SocketClient;
beforeEach(async () => {
  client = await core.open({}, { mode: 'proxy' });
});
// A core supports two hundred sessions, and there are more cases with every mode.
afterEach(() => client.end());
beforeAll(async () => {
  const refusing = { command: process.execPath, args: [join(import.meta.dirname, 'servers/refusing.ts')] };
  core = await startCore({ servers: { rail: refusing, a: fixture('compat', 'A') } });
});
afterAll(() => core[Symbol.asyncDispose]());

/** Returns the result or the error as one text. */
async function told(one: SocketClient, name: string, args: Params): Promise<string> {
  try {
    const { content } = await one.callTool(name, args);
    return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a direct call', () => {
  test('that the server rejects with an error has the schema in its message, and keeps the rest of the error', async () => {
    const error = await client.callTool('rail_book', { day: 'rpc', seats: 1 }).then(
      () => undefined,
      (one: unknown) => one,
    );
    expect(error).toMatchObject({ code: -32602, data: { at: 'day' } });
    expect((error as Error).message).toBe(`bad day\n${line}`);
  });

  test('that the server rejects in a result has the schema in its text, whether our check or its words show why', async () => {
    const unfit = await client.callTool('rail_book', { day: 'Monday' });
    expect(unfit).toEqual({
      content: [{ type: 'text', text: `seats?\n${line}` }],
      isError: true,
      hint: 7,
      _meta: { a: 1 },
    });
    const other = await core.open({}, { mode: 'proxy' });
    expect(textOf(await other.callTool('rail_book', { day: 'sdk', seats: 2 }))).toMatch(/tool book\nSchema of rail_/);
  });

  test.each(['gone', 'boom', 'full'])('that fails for another reason (%s) has no schema', async (day) => {
    expect(await told(client, 'rail_book', { day, seats: 1 })).not.toContain('chema');
  });

  test('that succeeds has no schema', async () => {
    expect(textOf(await client.callTool('rail_book', { day: 'Monday', seats: 1 }))).toBe('booked');
  });

  test('through the endpoint of one server passes unchanged', async () => {
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

const programs = new Set(['execute', 'code_execution']);

describe.each(allModes.modes.map(({ name }) => name))('in mode %s', (mode) => {
  let one: SocketClient;
  beforeEach(async () => {
    one = await core.open({}, { mode });
  });
  afterEach(() => one.end());

  const ask = async (name: string, input: Params, day: string): Promise<string> =>
    told(one, name, JSON.parse(JSON.stringify(input).replaceAll('rpc', day)) as Params);
  const times = (text: string): { text: string; times: number } => ({ text, times: text.split('minimum').length - 1 });

  test.each(ways)('%s returns the schema once, and then that it was shown', async (name, input) => {
    const first = await ask(name, input, 'rpc');
    expect(times(first)).toEqual({ text: first, times: 1 });
    // The model may not have read what a program received.
    const again = await ask(name, input, 'sdk');
    expect(times(again)).toEqual({ text: again, times: programs.has(name) ? 1 : 0 });
    if (!programs.has(name)) expect(again).toMatch(/shown[ "_:]*earlier/);
    expect(await ask(name, input, 'full')).not.toContain('chema');
  });
});

const program = (given: Params): string => `return await call_tool("rail_book", ${JSON.stringify(given)})`;

const fetches: readonly (readonly [string, Params])[] = [
  ['get_tool_schema', { name: 'rail:book' }],
  ['get_tool_schema', { tools: ['rail_book'] }],
  ['search_tools', { query: 'book', detail: 'full' }],
  ['describe_tool', { tool_ids: ['rail:book'] }],
  ['search', { query: 'book', detail: 'full' }],
  ['get_schema', { tools: ['rail_book'], detail: 'full' }],
  ['proxy', { action: 'info', type: 'tool', path: 'rail_book' }],
  ['proxy', { action: 'list', type: 'tool' }],
  ['proxy-dispatch', { action: 'search', query: 'book', includeInputSchema: true }],
  ['proxy-dispatch', { action: 'list', format: 'detail', includeInputSchema: true }],
];

/** `npm run test:long`: with a Python program after each of them, which takes a process every time. */
const inPython = allCases ? fetches : fetches.slice(0, 1);

test.each(fetches)('omits the schema that %s %j has shown from an error of any helper', async (name, input) => {
  const one = await core.open({}, { mode: 'search' });
  onTestFinished(() => one.end());
  expect(JSON.stringify(await one.callTool(name, input))).toContain('minimum');
  const wrong = ['rpc', 'sdk', 5].map((day) => ({ day, seats: 1 }));
  for (const [way, call] of [
    ['call_tool', (given: Params) => ({ name: 'rail_book', arguments: given })],
    ['invoke', (given: Params) => ({ name: 'rail_book', args: given })],
    ['call_tool_write', (given: Params) => ({ name: 'rail:book', args: given })],
    ['proxy-dispatch', (given: Params) => ({ action: 'call', tool: 'rail_book', arguments: given })],
    ['rail_book', (given: Params) => given],
    ['execute', (given: Params) => ({ language: 'javascript', code: program(given) })],
    ...inPython.flatMap(([, one]) =>
      one === input ? ([['execute', (given: Params) => ({ code: program(given) })]] as const) : [],
    ),
  ] as const) {
    for (const given of way === 'rail_book' ? wrong.slice(0, 2) : wrong) {
      expect([way, await told(one, way, call(given))]).toEqual([way, expect.not.stringContaining('minimum')]);
    }
  }
});
