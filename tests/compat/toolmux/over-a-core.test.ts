/** Compatibility cases 1 to 11 and 23: ToolMux's modes `meta` and `gateway`, over a real socket and real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
}

const parsed = (result: Params): Params => JSON.parse(textOf(result)) as Params;
const failure = (result: Params): unknown[] => [result['isError'], textOf(result)];

describe('one server', () => {
  let core: TestCore;
  let meta: SocketClient;
  let gateway: SocketClient;
  beforeAll(async () => {
    core = await startCore({ enrichment: 'first-use', servers: { echo: fixture('compat', 'E') } });
    gateway = await core.open({}, { mode: 'gateway' });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('1: the instructions of meta name the tools to start with', async () => {
    meta = await core.connect({ mode: 'meta' });
    const { instructions, serverInfo } = (await meta.initialize({})) as { instructions: string; serverInfo: object };
    for (const name of ['list_all_tools', 'catalog_tools', 'invoke']) expect(instructions).toContain(name);
    expect(serverInfo).toMatchObject({ name: 'tooltray' });
  });

  test('2: meta lists five tools and none of a server', async () => {
    const names = ['catalog_tools', 'get_tool_schema', 'invoke', 'get_tool_count', 'list_all_tools'];
    expect(await meta.toolNames()).toEqual(names);
  });

  test('3: catalog_tools returns a line for each tool, with its parameters', async () => {
    const result = await meta.callTool('catalog_tools');
    expect(parsed(result)).toMatchObject([
      { name: 'count_tool', server: 'echo', description: 'Count the items of a list', parameters: ['items'] },
      { name: 'echo_tool', server: 'echo', description: 'Echo back the input arguments', parameters: ['message'] },
      { name: 'reverse_tool', server: 'echo', description: 'Reverse a string', parameters: ['text', 'uppercase'] },
    ]);
    expect(result['structuredContent']).toEqual({ result: parsed(result) });
  });

  test('4: get_tool_schema returns the whole definition, and an error for an unknown tool', async () => {
    const found = parsed(await meta.callTool('get_tool_schema', { name: 'echo_tool' }));
    expect(found).toMatchObject({
      name: 'echo_tool',
      server: 'echo',
      input_schema: { properties: { message: { type: 'string', description: 'Any text.' } } },
    });
    expect(found['description']).toMatch(/^Use this tool to .*\. The answer is .*\.$/);
    const missed = await meta.callTool('get_tool_schema', { name: 'zzz' });
    expect([missed['isError'], parsed(missed)['error']]).toEqual([true, expect.stringContaining("'zzz' not found")]);
  });

  test('4: get_tool_schema returns several tools', async () => {
    const found = parsed(await meta.callTool('get_tool_schema', { tools: ['echo_tool', 'zzz'] }));
    const error = expect.stringContaining("'zzz' not found") as string;
    expect(found).toMatchObject([{ name: 'echo_tool', server: 'echo' }, { error }]);
  });

  test('5: the first result of a tool in a session explains the tool, later ones do not', async () => {
    const args = { name: 'echo_tool', args: { message: 'hi' } };
    const [first, second] = [textOf(await meta.callTool('invoke', args)), textOf(await meta.callTool('invoke', args))];
    expect(first).toMatch(/hi.*\n\[Tool: echo_tool\]\n\[Description: Use this tool .*\]\n\[Parameters: \{.*\}\]$/s);
    expect(second).toBe('{"message":"hi"}');
    const other = await core.open({}, { mode: 'meta' });
    expect(textOf(await other.callTool('invoke', args))).toBe(first);
  });

  test.each([{ arguments: { message: 'x' } }, { args_json: '{"message":"x"}' }, { message: 'x' }])(
    '6: invoke accepts the arguments as %j',
    async (args) => {
      expect(textOf(await meta.callTool('invoke', { name: 'echo_tool', ...args }))).toContain('{"message":"x"}');
    },
  );

  test('6: invoke of an unknown tool is an error with the nearest names, and is recorded', async () => {
    const result = await meta.callTool('invoke', { name: 'eco_tool' });
    expect(failure(result)).toEqual([true, expect.stringMatching(/'eco_tool' not found.*echo:echo_tool/)]);
    expect((await core.host.core.activity.log.ask('recentCalls', 1))[0]).toMatchObject({
      tool: 'eco_tool',
      via: 'invoke',
    });
  });

  test('7: gateway lists one tool per server, which describes what it can do from the first start on', async () => {
    const { tools } = (await gateway.request('tools/list')) as unknown as { tools: Tool[] };
    expect(tools.map(({ name }) => name)).toEqual(['get_tool_schema', 'get_tool_count', 'list_all_tools', 'echo']);
    // In ToolMux's words; if there is room, with types of non-string parameters.
    expect(tools[3]?.description).toMatch(/^Tools: count_tool \(Count the items of a list; required: items/);
    expect(tools[3]?.description).toContain('echo_tool (Echo back the input arguments; required: message), ');
    expect(tools[3]?.description).toContain('reverse_tool (Reverse a string; required: text)');
  });

  test('8: a call of a server without a tool lists its tools', async () => {
    const [isError, text] = failure(await gateway.callTool('echo'));
    expect(isError).toBe(true);
    expect(text).toContain("Missing 'tool'");
    expect(text).toContain('\n  - reverse_tool: Reverse a string (required: text)');
  });

  test('10: list_all_tools and get_tool_count agree', async () => {
    const all = parsed(await gateway.callTool('list_all_tools'));
    expect(all).toMatchObject({
      total_tools: 3,
      servers: {
        echo: { tool_count: 3, tools: [{ name: 'count_tool', description: 'Count the items of a list' }, {}, {}] },
      },
    });
    expect(parsed(await gateway.callTool('list_all_tools', { server: 'nope' }))).toEqual({
      total_tools: 0,
      servers: {},
    });
    expect(parsed(await gateway.callTool('get_tool_count'))).toEqual({ total_tools: 3, by_server: { echo: 3 } });
  });
});

describe('two servers with the same tools', () => {
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({ servers: { a: fixture('compat', 'A'), b: fixture('compat', 'B') } });
  });
  afterAll(() => core[Symbol.asyncDispose]());
  const who = (result: Params): string => /"who":"(.)"/.exec(textOf(result))?.[1] ?? textOf(result);

  test('9: the tool of a server calls that server', async () => {
    const gateway = await core.open({}, { mode: 'gateway' });
    const asked = ['a', 'b', 'a', 'b'].map((server) =>
      gateway.callTool(server, { tool: 'echo_tool', arguments: { message: 'x' } }),
    );
    expect((await Promise.all(asked)).map(who)).toEqual(['A', 'B', 'A', 'B']);
  });

  test('invoke calls every name that catalog_tools shows', async () => {
    const meta = await core.open({}, { mode: 'meta' });
    const shown = parsed(await meta.callTool('catalog_tools')) as unknown as { name: string; server: string }[];
    const echoes = shown.filter(({ name }) => name.endsWith('echo_tool'));
    expect(echoes.map(({ name }) => name)).toEqual(['a_echo_tool', 'b_echo_tool']);
    for (const { name, server } of echoes) {
      const result = await meta.callTool('invoke', { name, args: { message: 'x' } });
      expect(who(result)).toBe(server.toUpperCase());
    }
  });

  test('invoke of a name that both have lists the candidates', async () => {
    const meta = await core.open({}, { mode: 'meta' });
    const result = await meta.callTool('invoke', { name: 'echo_tool', args: { message: 'x' } });
    expect(failure(result)).toEqual([true, expect.stringContaining('a:echo_tool, b:echo_tool')]);
    expect(who(await meta.callTool('invoke', { name: 'echo_tool', server: 'b', args: { message: 'x' } }))).toBe('B');
  });

  test('13: list_all_tools returns whole descriptions in mode proxy, of one server if it is named', async () => {
    const proxy = await core.open({}, { mode: 'proxy' });
    const { servers } = parsed(await proxy.callTool('list_all_tools', { server: 'a' })) as { servers: { a: Params } };
    expect(servers.a).toMatchObject({ tool_count: 3, tools: [{ name: 'a_count_tool' }, {}, {}] });
    expect(JSON.stringify(servers)).toContain('The answer is what was given');
  });
});

test('11: other servers work beside one that does not start, which is listed with the reason', async () => {
  const servers = { echo: fixture('compat', 'E'), bad: { command: 'no-such-command-here' } };
  await using core = await startCore({ servers });
  const gateway = await core.open({}, { mode: 'gateway' });
  const good = await gateway.callTool('echo', { tool: 'echo_tool', arguments: { message: 'x' } });
  expect(textOf(good)).toContain('{"message":"x"}');
  const { failed_servers: failed, by_server: counts } = parsed(await gateway.callTool('get_tool_count'));
  expect([failed, counts]).toEqual([{ bad: expect.stringContaining('no-such-command-here') as string }, { echo: 3 }]);
  expect(failure(await gateway.callTool('bad', { tool: 'x' }))).toEqual([
    true,
    expect.stringMatching(/Server 'bad' not available: .*no-such-command-here/),
  ]);
  const { servers: rows } = parsed(await gateway.callTool('manage_servers', { action: 'list' })) as {
    servers: Params[];
  };
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ['echo', 'ok'],
    ['bad', 'failed'],
  ]);
});

test('by default, neither a first result nor an error unrelated to arguments has a schema', async () => {
  await using core = await startCore({ servers: { x: fixture('compat-results'), echo: fixture('compat', 'E') } });
  const [meta, gateway] = [await core.open({}, { mode: 'meta' }), await core.open({}, { mode: 'gateway' })];
  const args = { message: 'hi' };
  expect(textOf(await meta.callTool('invoke', { name: 'echo_tool', args }))).toBe('{"message":"hi"}');
  expect(textOf(await gateway.callTool('echo', { tool: 'echo_tool', arguments: args }))).toBe('{"message":"hi"}');
  expect(failure(await meta.callTool('invoke', { name: 'iserr' }))).toEqual([true, 'it failed']);
  expect(failure(await meta.callTool('invoke', { name: 'echo_tool', args: { massage: 'hi' } }))).toEqual([
    true,
    expect.stringMatching(/Invalid arguments for echo_tool: .*message.* instead of .*massage.*message \(required\)/),
  ]);
});

describe('23: what invoke returns of a server', () => {
  let core: TestCore;
  let meta: SocketClient;
  beforeAll(async () => {
    core = await startCore({ enrichment: 'first-use', servers: { x: fixture('compat-results') } });
    meta = await core.open({}, { mode: 'meta' });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test('a protocol error', async () => {
    const [isError, text] = failure(await meta.callTool('invoke', { name: 'rpcerr' }));
    expect([isError, text]).toEqual([true, expect.stringMatching(/bad params.*\n\[Schema for rpcerr: \{.*\}\]$/s)]);
  });

  test('an error result, with the schema each time', async () => {
    for (let time = 0; time < 2; time++) {
      const result = await meta.callTool('invoke', { name: 'iserr' });
      expect(failure(result)).toEqual([true, 'it failed\n[Schema for iserr: {"type":"object"}]']);
    }
  });

  test('the result of the call, after a notification', async () => {
    const texts = [await meta.callTool('invoke', { name: 'noisy' }), await meta.callTool('invoke', { name: 'noisy' })];
    expect(texts.map((result) => textOf(result).split('\n')[0])).toEqual(['real answer', 'real answer']);
  });

  test('structured content and images', async () => {
    // The first use is explained, also for apps that pass on only structured content.
    const first = await meta.callTool('invoke', { name: 'structured' });
    expect(first).not.toHaveProperty('structuredContent');
    expect(JSON.stringify(first)).toMatch(/\[Tool: structured\].*42/);
    expect(await meta.callTool('invoke', { name: 'structured' })).toMatchObject({ structuredContent: { answer: 42 } });
    const { content } = await meta.callTool('invoke', { name: 'picture' });
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^look\n\[Tool: picture\]/) as string },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ]);
  });
});
