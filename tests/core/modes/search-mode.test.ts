import { describe, expect, test } from 'vitest';
import { parseJson, type JsonObject } from '../../../src-main/core/base/json.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import type { HelperTool } from '../../../src-main/core/modes/mode.ts';
import { searchMode } from '../../../src-main/core/modes/search-mode.ts';
import { serverWith } from '../catalog/catalog-of.ts';
import { helperContext, type TestContext } from './helper-context.ts';

const reverse = {
  name: 'reverse',
  title: 'Reverse',
  description: 'Use this tool to turn a text around. It has a second sentence.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'any text' } },
    required: ['text'],
  },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  icons: [{ src: 'data:,' }],
};
const servers = [serverWith('a', { tools: [reverse, { name: 'other' }] }), serverWith('b', { tools: [reverse] })];

const helper = (name: string): HelperTool => allModes.helpers.get(name) as HelperTool;

function search(input: JsonObject, context = helperContext(servers)): Promise<JsonObject> {
  return helper('search_tools').run(input, context) as Promise<JsonObject>;
}

const hitsIn = (result: JsonObject): JsonObject[] => {
  expect(result['structuredContent']).toBeUndefined();
  const [first] = result['content'] as { text: string }[];
  return first === undefined ? [] : (JSON.parse(first.text) as JsonObject[]);
};
const namesIn = (result: JsonObject): unknown[] => hitsIn(result).map((tool) => tool['name']);
const moreIn = (result: JsonObject): string | undefined => (result['content'] as { text: string }[])[1]?.text;

describe('listed tools', () => {
  test('are two helper tools only, however many tools the servers have', () => {
    expect(searchMode.helpers.map((one) => one.definition.name)).toEqual(['search_tools', 'call_tool']);
    expect(searchMode.listed(helperContext(servers))).toEqual([]);
  });

  test('are always loaded, so that no client app defers the search', () => {
    for (const { definition } of searchMode.helpers)
      expect(definition['_meta']).toEqual({ 'anthropic/alwaysLoad': true });
  });

  test('mark only the search as read-only', () => {
    expect(helper('search_tools').definition['annotations']).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(helper('call_tool').definition['annotations']).toBeUndefined();
  });
});

test.each([
  ['create an entity', {}, ['create_entity']],
  ['add an entity', {}, ['create_entity']],
  ['delete an entity', {}, ['delete_entity']],
  ['create an entity, delete an entity', {}, ['create_entity', 'delete_entity']],
  ['create an entity; remove an entity', {}, ['create_entity', 'delete_entity', 'remove_page']],
  ['entity', {}, ['create_entity', 'delete_entity']],
  // Nothing else matches, or a limit is given.
  ['add a page', {}, ['remove_page']],
  ['create an entity', { limit: 5 }, ['create_entity', 'delete_entity']],
])('excludes the opposite of %j from its results: %j', async (query, more, names) => {
  const tools = ['create_entity', 'delete_entity', 'remove_page'].map((name) => ({ name }));
  const found = await search({ query, ...more }, helperContext([serverWith('m', { tools })]));
  expect(namesIn(found).toSorted()).toEqual(names);
});

describe('search_tools', () => {
  const nested = {
    name: 'reverse_all',
    description: 'Turn many texts around.',
    // A schema that no signature can express.
    inputSchema: {
      type: 'object',
      properties: { all: { type: 'object', not: { required: ['x'] }, minProperties: 1 } },
    },
  };

  test('returns a line for each tool, best first, and the definition if a line is lossy', async () => {
    const context = helperContext([...servers, serverWith('c', { tools: [nested] })]);
    const line = { sig: '(text)', desc: 'Turn a text around' };
    expect(hitsIn(await search({ query: 'reverse; reverse_all' }, context))).toEqual([
      { name: 'a_reverse', ...line },
      { name: 'b_reverse', ...line },
      { ...nested, name: 'c_reverse_all' },
    ]);
    const again = hitsIn(await search({ query: 'reverse_all', limit: 1 }, context));
    expect(again).toEqual([expect.objectContaining({ sig: '(all?: {~})', inputSchema_shown: 'earlier' })]);
  });

  test("returns the first two definitions in full if set to ToolMux's way", async () => {
    const { outputSchema: _, icons: __, ...shown } = reverse;
    const context = Object.defineProperty(helperContext(servers), 'firstUse', { value: true });
    const result = await search({ query: 'turn text around' }, context);
    const expected = ['a_reverse', 'b_reverse'].map((name) => ({ ...shown, name }));
    expect(result['structuredContent']).toEqual({ result: expected });
    expect(JSON.parse((result['content'] as [{ text: string }])[0].text)).toEqual(expected);
  });

  const many = (): TestContext =>
    helperContext([
      serverWith('fs', { tools: Array.from({ length: 20 }, (_, i) => ({ ...reverse, name: `reverse_${i}` })) }),
    ]);

  test('omits and counts far worse matches unless a limit is given', async () => {
    const tools = [
      reverse,
      { name: 'unrelated', description: 'A long list of words, among them the word text, once.' },
    ];
    const context = helperContext([serverWith('a', { tools })]);
    const best = await search({ query: 'reverse text' }, context);
    expect([namesIn(best), moreIn(best)]).toEqual([['reverse'], '1 weaker matches; use limit.']);
    expect(namesIn(await search({ query: 'reverse text', limit: 5 }, context))).toEqual(['reverse', 'unrelated']);
  });

  test('ranks tools of unavailable servers last, and states the reason', async () => {
    const context = helperContext([
      { ...serverWith('a', { tools: [reverse] }), down: 'needs sign-in' },
      serverWith('b', { tools: [reverse] }),
    ]);
    const hits = hitsIn(await search({ query: 'reverse' }, context));
    expect(hits.map(({ name, desc }) => [name, desc])).toEqual([
      ['b_reverse', 'Turn a text around'],
      ['a_reverse', expect.stringMatching(/^\[needs sign-in\]/)],
    ]);
  });

  test('returns all schemas each time with detail full', async () => {
    const context = many();
    for (let round = 0; round < 2; round++) {
      const hits = hitsIn(await search({ query: 'reverse', limit: 5, detail: 'full' }, context));
      expect(hits.filter((hit) => hit['inputSchema'] !== undefined)).toHaveLength(5);
    }
  });

  test('suggests a similar name', async () => {
    const answer = await search(
      { query: 'revresse' },
      helperContext([serverWith('a', { tools: [{ name: 'rev-er-se' }] })]),
    );
    // No structured content: an app that passes on only that would drop the suggestion.
    expect(answer).toEqual({ content: [{ type: 'text', text: 'No matches. Did you mean rev-er-se?' }] });
  });

  test('returns whole definitions at level full', async () => {
    const result = await search({ query: 'reverse', limit: 1 }, helperContext(servers, true));
    expect(hitsIn(result)).toEqual([{ ...reverse, name: 'a_reverse' }]);
  });

  test.each([{ query: '' }, { query: ' ' }, {}, { query: 5 }, { search: 'x' }])(
    'rejects an empty search (%j)',
    async (input) => {
      const run = allModes.helpers.get('search_tools')?.run(input, helperContext([]));
      await expect(run).rejects.toMatchObject({ code: 'bad_request' });
    },
  );

  test.each([{ query: 'zzzz' }])('reports that nothing matches %j', async (input) => {
    expect(await search(input)).toEqual({ content: [{ type: 'text', text: 'No matches. Try other words.' }] });
    const inTheirWay = Object.defineProperty(helperContext(servers), 'firstUse', { value: true });
    expect(await search(input, inTheirWay)).toEqual({ content: [], structuredContent: { result: [] } });
  });

  test.each([
    [1, 1],
    ['1', 1],
    [parseJson('1.0'), 1],
    [1.9, 1],
    [0, 1],
    [-3, 1],
    [undefined, 12],
    [null, 12],
    ['many', 12],
    [{}, 12],
    [1e9, 50],
    // Without a limit: eight, and up to four more that match as well.
  ])('reads the limit %j as %i', async (limit, shown) => {
    const many = serverWith('many', { tools: Array.from({ length: 60 }, (_, i) => ({ name: `reverse_${i}` })) });
    expect(namesIn(await search({ query: 'reverse', limit }, helperContext([many])))).toHaveLength(shown);
  });

  test('returns a tool named like a helper tool under a callable name', async () => {
    const context = helperContext([
      serverWith('git', { tools: [{ name: 'search_tools', description: 'Searches commits.' }] }),
    ]);
    expect(namesIn(await search({ query: 'commits' }, context))).toEqual(['git_search_tools']);
  });
});

describe('call_tool', () => {
  test('passes the call to the pipeline, in every spelling of its parameters', async () => {
    const context = helperContext(servers);
    const asked = [
      { name: 'a_reverse', arguments: { text: 'x' } },
      { tool: 'a:reverse', args: '{"text":"x"}' },
      { tool_name: 'reverse', connection: 'c2', args_json: '{}' },
      { path: 'reverse', server: 'b', _meta: { vendor: 1 } },
      { name: 'a_reverse', text: 'x' },
    ];
    for (const input of asked) await helper('call_tool').run(input, context);
    const common = { beside: {}, rest: undefined, via: 'call_tool' };
    expect(context.calls).toEqual([
      { ...common, tool: 'a_reverse', server: undefined, arguments: { text: 'x' } },
      { ...common, tool: 'a:reverse', server: undefined, arguments: { text: 'x' } },
      { ...common, tool: 'reverse', server: 'c2', arguments: {} },
      { ...common, tool: 'reverse', server: 'b', arguments: {}, rest: { _meta: { vendor: 1 } } },
      { ...common, tool: 'a_reverse', server: undefined, arguments: {}, beside: { text: 'x' } },
    ]);
  });

  test("returns the tool's result unchanged", async () => {
    const result = await helper('call_tool').run({ name: 'a_reverse' }, helperContext(servers));
    expect(result).toEqual({ content: [{ type: 'text', text: 'called a_reverse' }] });
  });
});

describe('instructions', () => {
  const textFor = (names: string[]): string =>
    searchMode.instructions(helperContext(names.map((name) => serverWith(name, {}))));

  test('state what to do and which servers exist', () => {
    expect(textFor(['git', 'GitHub'])).toMatch(/^Search with search_tools.*call_tool.*git, GitHub\.$/);
    expect(textFor([])).toContain('none yet');
  });

  test('depend only on the servers, not on their current lists', () => {
    expect(searchMode.instructions(helperContext(servers))).toBe(textFor(['a', 'b']));
  });

  test.each([0, 1, 2, 3])('end within 2 048 characters, and never split a character (%i)', (shift) => {
    const text = textFor([`${'x'.repeat(shift)}${'🚀'.repeat(3000)}`]);
    expect(text.length).toBeLessThanOrEqual(2048);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe('a short query', () => {
  const shown = async (query: string, context: TestContext): Promise<string[]> =>
    hitsIn(await search({ query }, context)).map(({ name }) => String(name));

  test("equal to a server's name ranks the tool whose own name contains the word first", async () => {
    const names = [
      'sun',
      'help',
      'info',
      'ping',
      'stop',
      'reset',
      'config',
      'export',
      'get_current_time',
      'get_timezone',
    ];
    const context = helperContext([serverWith('time', { tools: names.map((name) => ({ name })) }), ...servers]);
    expect((await shown('time', context))[0]).toContain('get_current_time');
  });

  test("equal to a deprecated tool's name finds its successor too, and marks it as deprecated", async () => {
    const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const files = [
      {
        name: 'read_file',
        description: 'Read the complete contents of a file. DEPRECATED: Use read_text_file instead.',
      },
      { name: 'read_text_file', description: 'Read the complete contents of a file as text.' },
      { name: 'read_media_file', description: 'Read an image or audio file.' },
      { name: 'write_file', description: 'Write a file.' },
    ].map((tool) => ({ ...tool, inputSchema: path }));
    const context = helperContext([serverWith('fs', { tools: files })]);
    const hits = hitsIn(await search({ query: 'read file' }, context));
    expect(hits.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_file', 'read_text_file']));
    expect(hits.find(({ name }) => name === 'read_file')).toMatchObject({
      desc: expect.stringMatching(/deprecated/i) as string,
    });
  });

  test('finds tools that match one of its words, not a single tool of another server only', async () => {
    const files = ['read_file', 'write_file', 'list_files', 'move_file'].map((name) => ({
      name,
      description: 'A file.',
    }));
    const context = helperContext([
      serverWith('fs', { tools: files }),
      serverWith('memory', { tools: [{ name: 'open_nodes', description: 'Open nodes of the graph by name.' }] }),
      serverWith('other', {
        tools: Array.from({ length: 40 }, (_, i) => ({ name: `task_${i}`, description: 'Other work.' })),
      }),
    ]);
    const hits = await shown('open file', context);
    expect(hits.filter((name) => name.startsWith('fs_') || name.includes('file')).length).toBeGreaterThan(0);
  });
});
