/** Wrong and oversized input of models and users, through every helper tool that calls or searches, over a real core. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import type { Params } from '../support/raw-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  core = await startCore({
    servers: { git: fixture('compat', 'A'), git_hub: fixture('compat', 'B'), lib: fixture('library', 'L') },
  });
  client = await core.open({}, { mode: 'search' });
});
afterAll(() => core[Symbol.asyncDispose]());

type Call = (tool: string, args: Params) => [helper: string, input: Params];

/** How each helper tool calls a tool. */
const helpers: Readonly<Record<string, Call>> = {
  call_tool: (name, args) => ['call_tool', { name, arguments: args }],
  invoke: (name, args) => ['invoke', { name, args }],
  proxy: (path, args) => ['proxy', { action: 'call', type: 'tool', path, args }],
  'proxy-dispatch': (tool, args) => ['proxy-dispatch', { action: 'call', tool, arguments: args }],
  call_tool_write: (name, args) => ['call_tool_write', { name, args }],
  'proxy-dispatch by connection': (tool, args) => {
    const [connection, name] = tool.split(':');
    return ['proxy-dispatch', { action: 'call', connection, tool: name, arguments: args }];
  },
  'a tool of gateway mode': (tool, args) => {
    const [server = '', name] = tool.split(':');
    return [server, { tool: name, arguments: args }];
  },
  'the tool itself': (tool, args) => [tool.replace('git_hub:', 'git-hub_').replace('git:', 'git_'), args],
};
const each = Object.entries(helpers);

describe('servers git and git_hub', () => {
  test.each(each)('are told apart by %s', async (_, call) => {
    const answers = await Promise.all(
      ['git', 'git_hub'].map(async (server) =>
        textOf(await client.callTool(...call(`${server}:echo_tool`, { message: 'x' }))),
      ),
    );
    expect(answers.map((text) => /"who":"(.)"/.exec(text)?.[1])).toEqual(['A', 'B']);
  });

  test.each(['git_hub_echo_tool', 'git_hub__echo_tool', 'git-hub_echo_tool'])(
    'finds the tool of git_hub under %s',
    async (name) => {
      expect(textOf(await client.callTool('call_tool', { name, arguments: { message: 'x' } }))).toContain('"who":"B"');
    },
  );
});

/**
 * Five megabytes take a second each: through one helper tool, and less through the others (all cases: through each).
 */
const addresses = ['call_tool'];
const hasRoom = ([name]: (typeof each)[number]): boolean => allCases || addresses.includes(name);

describe.each(
  [
    { size: 'five megabytes', length: 1_000_000, through: each.filter(hasRoom) },
    { size: 'half a megabyte', length: 100_000, through: each.filter((one) => !hasRoom(one)) },
  ].filter(({ through }) => through.length > 0),
)('arguments of $size', ({ length, through }) => {
  const items = Array.from({ length: 5 }, () => 'x'.repeat(length));
  test.each(through)('reach the server through %s', async (_, call) => {
    const result = await client.callTool(...call('git_hub:count_tool', { items }));
    expect([result['isError'], textOf(result)]).toEqual([undefined, expect.stringContaining('"count":5')]);
  });

  test.each(through.filter(([name]) => name !== 'the tool itself'))(
    'are rejected by %s without being repeated if they do not fit',
    async (_, call) => {
      const result = await client.callTool(...call('git:count_tool', { items: items.join(''), unknown: items }));
      expect(result['isError']).toBe(true);
      expect(JSON.stringify(result).length).toBeLessThan(10_000);
    },
  );
});

describe('a query of 100 kB', () => {
  const words = 'reverse a string '.repeat(6000);
  test.each<[tool: string, input: Params]>([
    ['search_tools', { query: words }],
    ['search', { query: words }],
    ['retrieve_tools', { query: words }],
    ['proxy-dispatch', { action: 'search', query: words }],
  ])('gets results from %s and is not repeated', async (tool, input) => {
    const result = await client.callTool(tool, input);
    expect(result['isError']).toBeUndefined();
    expect(textOf(result)).toContain('reverse_tool');
    expect(textOf(result).length).toBeLessThan(10_000);
  });
});

describe('a tool named like a helper tool', () => {
  test.each(each.slice(0, 6))('is callable by its canonical ID through %s', async (_, call) => {
    expect(textOf(await client.callTool(...call('lib:search_tools', { q: 1 })))).toMatch(
      /L: search_tools \{\\?"q\\?":1\}/,
    );
  });

  test.each(each.slice(0, 5))('is found before the helper tool by its bare name through %s', async (_, call) => {
    expect(textOf(await client.callTool(...call('search_tools', { q: 1 })))).toMatch(/L: search_tools \{\\?"q\\?":1\}/);
  });
});

describe('300 tools in gateway mode', () => {
  test('become one tool with a description of at most 2,048 characters; all are callable and listed on request', async () => {
    await using many = await startCore({ servers: { many: fixture('misbehaving', 'many', '300') }, mode: 'gateway' });
    const session = await many.open();
    const { tools } = (await session.request('tools/list')) as { tools: { name: string; description: string }[] };
    const [tool] = tools.filter(({ name }) => name === 'many');
    expect(tool?.description.length).toBeLessThanOrEqual(2048);
    expect(textOf(await session.callTool('many', { tool: 'tool_299' }))).toMatch(/^tool_299\b/);
    const named = textOf(await session.callTool('many', {}));
    expect(named.match(/^ {2}- tool_\d+:/gm)).toHaveLength(300);
  });
});

describe('names of any length', () => {
  test.each(each.slice(0, -2))('are rejected by %s and not repeated in full', async (_, call) => {
    const result = await client.callTool(...call(`git:${'_'.repeat(1_000_000)}`, {}));
    expect(result['isError']).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
  });
});
