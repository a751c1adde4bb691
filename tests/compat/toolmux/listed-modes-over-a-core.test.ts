/** Compatibility cases 12 to 15, 20 and 21: ToolMux's modes `proxy` and `search`, over a real socket and real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullSchema, shortForms, shortSchema } from '../../fixtures/servers/compat/condensed-tools.ts';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Params;
}

async function toolsOf(client: SocketClient): Promise<Tool[]> {
  return ((await client.request('tools/list')) as unknown as { tools: Tool[] }).tools;
}

const parsed = (result: Params): unknown => JSON.parse(textOf(result));

describe('one server', () => {
  let core: TestCore;
  let proxy: SocketClient;
  beforeAll(async () => {
    core = await startCore({ enrichment: 'first-use', servers: { echo: fixture('compat', 'E') }, condense: 'toolmux' });
    proxy = await core.open({}, { mode: 'proxy' });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('12: lists its tools under their own names, with shorter texts and schemas', async () => {
    const tools = await toolsOf(proxy);
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['count_tool', 'Count the items of a list'],
      ['echo_tool', 'Echo back the input arguments'],
      ['reverse_tool', 'Reverse a string'],
    ]);
    expect(tools[1]?.inputSchema).toEqual({
      type: 'object',
      properties: { message: { type: 'string' } },
      required: ['message'],
    });
  });

  test.each(['echo_tool', 'echo:echo_tool', 'echo_echo_tool', 'echo__echo_tool', 'c1:echo_tool', 'default:echo_tool'])(
    'calls a tool as %s',
    async (name) => {
      expect(parsed(await proxy.callTool(name, { message: 'hi' }))).toEqual({ message: 'hi' });
    },
  );
});

describe('two servers with the same tools', () => {
  let core: TestCore;
  let proxy: SocketClient;
  let search: SocketClient;
  beforeAll(async () => {
    core = await startCore({
      enrichment: 'first-use',
      servers: { a: fixture('compat', 'A'), b: fixture('compat', 'B') },
    });
    [proxy, search] = [await core.open({}, { mode: 'proxy' }), await core.open({}, { mode: 'search' })];
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('13: lists each tool under its server, and calls it there', async () => {
    expect(await proxy.toolNames()).toEqual([
      'a_count_tool',
      'a_echo_tool',
      'a_reverse_tool',
      'b_count_tool',
      'b_echo_tool',
      'b_reverse_tool',
    ]);
    const answers = ['a_echo_tool', 'b_echo_tool', 'b:echo_tool', 'c2:echo_tool', 'primary:echo_tool'].map((name) =>
      proxy.callTool(name, { message: 'x' }),
    );
    const who = (await Promise.all(answers)).map((answer) => (parsed(answer) as { who: string }).who);
    expect(who).toEqual(['A', 'B', 'B', 'B', 'A']);
  });

  test('13: rejects a name that both have, and lists the candidates', async () => {
    const result = await proxy.callTool('echo_tool', { message: 'x' });
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringContaining('a:echo_tool, b:echo_tool')]);
  });

  test('14: lists two tools; a search returns definitions to call, best first, or nothing', async () => {
    expect(await search.toolNames()).toEqual(['search_tools', 'call_tool']);
    const found = parsed(await search.callTool('search_tools', { query: 'reverse text' })) as Tool[];
    expect(found.slice(0, 2).map((tool) => tool.name)).toEqual(['a_reverse_tool', 'b_reverse_tool']);
    expect(found[0]?.inputSchema).toMatchObject({
      properties: { text: { type: 'string', description: 'What to turn around.' } },
    });
    const nothing = await search.callTool('search_tools', { query: 'zzzz' });
    expect([nothing['content'], nothing['structuredContent'], nothing['isError']]).toEqual([
      [],
      { result: [] },
      undefined,
    ]);
  });

  test('14: calls tools that are not listed, in both modes', async () => {
    expect(parsed(await search.callTool('b_echo_tool', { message: 'x' }))).toEqual({ message: 'x', who: 'B' });
    const found = parsed(await proxy.callTool('search_tools', { query: 'count items', limit: 1 })) as Tool[];
    expect(found.map((tool) => tool.name)).toEqual(['a_count_tool']);
  });

  test('15: call_tool returns the same as a direct call', async () => {
    const args = { text: 'añb', uppercase: true };
    const direct = await search.callTool('a_reverse_tool', args);
    expect(parsed(direct)).toEqual({ reversed: 'BÑA', who: 'A' });
    for (const input of [
      { name: 'a_reverse_tool', arguments: args },
      { tool: 'reverse_tool', server: 'a', args_json: JSON.stringify(args) },
    ]) {
      // The model is told about the third equal call in a row.
      await search.callTool('a_echo_tool', { message: 'between' });
      expect(await search.callTool('call_tool', input)).toEqual(direct);
    }
  });

  test.each([
    [{ name: 'call_tool', arguments: { name: 'a_echo_tool' } }, /Unknown tool: "call_tool"/],
    [{ name: 'search_tools' }, /Unknown tool: "search_tools"/],
    [{ name: 'nope' }, /Unknown tool: "nope"/],
    [{ name: 'a_ecko_tool' }, /Unknown tool.*Did you mean a:echo_tool/],
    [{ name: 'echo_tool', server: 'zz' }, /no server named "zz".*Servers: a, b/],
    [{ name: 'echo_tool' }, /matches 2 tools.*a:echo_tool, b:echo_tool/],
    [{ name: 'a_echo_tool', arguments: '{not json' }, /"arguments" is not valid JSON/],
    [{ name: 'a_echo_tool', arguments: {}, args: { x: 1 } }, /arguments and args conflict/],
    [{}, /The tool name is missing\./],
  ])('15: call_tool of %j is an error that the model can read', async (input, text) => {
    const result = await search.callTool('call_tool', input);
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringMatching(text)]);
  });

  test('a direct call of an unknown tool is a protocol error', async () => {
    await expect(search.callTool('nope')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: "nope"') as string,
    });
  });

  test('call_tool returns an error result of a server unchanged', async () => {
    const result = await search.callTool('call_tool', { name: 'a_count_tool', arguments: { items: ['uncountable'] } });
    expect(result).toEqual({ content: [{ type: 'text', text: 'A cannot do this.' }], isError: true, vendor: [1] });
  });
});

describe('texts and schemas', () => {
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({
      enrichment: 'first-use',
      servers: { texts: fixture('compat', 'texts') },
      condense: 'toolmux',
    });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('20: shortens descriptions as ToolMux does', async () => {
    const tools = await toolsOf(await core.open({}, { mode: 'proxy' }));
    const listed = tools
      .filter(({ name }) => name !== 'schema')
      .map(({ name, description }) => ({ name, short: description }));
    expect(listed).toEqual(shortForms.map(({ name, short }) => ({ name, short })));
  });

  test('21: shortens schemas as ToolMux does', async () => {
    const tools = await toolsOf(await core.open({}, { mode: 'proxy' }));
    expect(tools.find(({ name }) => name === 'schema')?.inputSchema).toEqual(shortSchema);
  });

  test('a search returns them whole', async () => {
    const search = await core.open({}, { mode: 'search' });
    const [tool] = parsed(await search.callTool('search_tools', { query: 'schema', limit: 1 })) as Tool[];
    expect(tool).toEqual({ name: 'schema', description: 'Has every kind of parameter', inputSchema: fullSchema });
  });
});
