import { describe, expect, test } from 'vitest';
import type { ToolActivity } from '../../../../src-main/core/activity/call-record.ts';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import { serverWith } from '../../catalog/catalog-of.ts';
import { helperContext } from '../../modes/helper-context.ts';
import { ask, files, retrieveContext } from './retrieve-context.ts';

const idsOf = (answer: JsonObject): unknown[] =>
  (answer['tools'] as JsonObject[]).map((tool) => tool['id'] ?? tool['name']);

test("what a call needs is told in our own notation, MCPProxy's where its fields are wanted", async () => {
  const nested = { type: 'object', properties: { at: { type: 'object', properties: { x: { type: 'integer' } } } } };
  const context = retrieveContext([{ name: 'place', description: 'Puts it there. Or not.', inputSchema: nested }]);
  const own = { ...context, retrieve: { limit: undefined, detail: undefined, fields: undefined } };
  const { tools, usage_instructions } = await ask('retrieve_tools', { query: 'place' }, own);
  expect(tools).toEqual([
    { name: 'fs:place', sig: '(at?: {x?: integer})', desc: 'Puts it there', call_with: 'call_tool_write' },
  ]);
  expect(usage_instructions).toContain('? is optional');
  const theirs = await ask('retrieve_tools', { query: 'place' }, context);
  expect(theirs).toMatchObject({ tools: [{ sig: '(at~:obj)', lossy: true }] });
});

describe('compact answers', () => {
  test('give a line for each hit, what to call it with, and the schemas of the first two', async () => {
    const answer = await ask('retrieve_tools', { query: 'read file' });
    const [first, second, third] = answer['tools'] as JsonObject[];
    expect(first).toEqual({
      name: 'fs:read_file',
      server: 'fs',
      score: expect.any(Number) as number,
      sig: '(path*:str)',
      desc: 'Read a file from the disk.',
      lossy: false,
      call_with: 'call_tool_read',
      inputSchema: files[0]?.inputSchema,
    });
    expect([second, third].map((tool) => tool?.['inputSchema'] !== undefined)).toEqual([true, false]);
    expect(answer).toMatchObject({ query: 'read file', total: 4 });
    expect(answer['usage_instructions']).toContain('call_with');
  });

  test("asked for by name know a tool by its id alone, as MCPProxy's do", async () => {
    const { tools } = await ask('retrieve_tools', { query: 'stat_file', detail: 'compact', limit: 1 });
    const [{ inputSchema: _, ...only }] = tools as [JsonObject];
    expect(only).toEqual({
      ...{ id: 'fs:stat_file', score: expect.any(Number) as number, sig: '(path*:str)' },
      ...{ desc: 'Tell the size of a file.', lossy: false, call_with: 'call_tool_write' },
    });
  });

  test.each([
    ['Zeigt 1.5 GB an. Mehr.', 'Zeigt 1.5 GB an.'],
    ['検索クエリを実行します。結果は…', '検索クエリを実行します。'],
    ['Says "stop." Then goes', 'Says "stop."'],
    ['Reads a file, e.g. a text. More.', 'Reads a file, e.g. a text.'],
    ['x'.repeat(300), `${'x'.repeat(199)}…`],
    [
      `Reads the ${'very '.repeat(30)}last lines of a file, which are those that were written last by whoever wrote them`,
      `Reads the ${'very '.repeat(30)}last lines of a file`,
    ],
    ['', ''],
  ])('tell the first sentence as it is written: %j', async (description, desc) => {
    const context = retrieveContext([{ name: 'special', description }]);
    const { tools } = await ask('retrieve_tools', { query: 'special', limit: 1 }, context);
    expect(tools).toMatchObject([{ desc }]);
  });

  test('are of the number and kind that the config says', async () => {
    const context = { ...retrieveContext(), retrieve: { limit: 2, detail: 'full' as const, fields: 'all' as const } };
    const { tools } = await ask('retrieve_tools', { query: 'file' }, context);
    const whole: unknown = expect.objectContaining({ description: expect.any(String) as string });
    expect(tools).toEqual([whole, whole]);
    const own = await ask('retrieve_tools', { query: 'file', limit: 1, detail: 'compact' }, context);
    expect(own['tools']).toEqual([expect.objectContaining({ desc: expect.any(String) as string })]);
  });

  test('show a schema once to a session, unless it changed', async () => {
    const context = retrieveContext();
    const schemaIn = async (session = context): Promise<boolean> => {
      const [first] = (await ask('retrieve_tools', { query: 'read_file' }, session))['tools'] as JsonObject[];
      return first?.['inputSchema'] !== undefined;
    };
    expect([await schemaIn(), await schemaIn()]).toEqual([true, false]);
    const [reader] = files;
    const changed = { ...reader, inputSchema: { type: 'object', properties: { uri: {} } } };
    const { catalog } = retrieveContext();
    const tools = catalog.tools.map((tool) => (tool.name === 'read_file' ? { ...tool, definition: changed } : tool));
    const later = { ...context, catalog: { ...catalog, tools } };
    const [first] = (await ask('retrieve_tools', { query: 'read_file' }, later))['tools'] as JsonObject[];
    expect(first).toMatchObject({ sig: '(uri~:any)', inputSchema: changed.inputSchema });
  });

  test('have fifteen hits at the most unless more are asked for', async () => {
    const many = retrieveContext(Array.from({ length: 200 }, (_, i) => ({ name: `file_${i}` })));
    const count = async (limit: unknown): Promise<number> =>
      idsOf(await ask('retrieve_tools', { query: 'file', limit }, many)).length;
    expect(await Promise.all([undefined, 3, '3', 0, -1, 1e9].map(count))).toEqual([15, 3, 3, 15, 15, 100]);
  });

  test('tell how many tools match in all', async () => {
    expect(await ask('retrieve_tools', { query: 'file', limit: 1 })).toMatchObject({ total: 4 });
  });
});

test('full answers give whole definitions, each time', async () => {
  const context = retrieveContext();
  for (let round = 0; round < 2; round++) {
    const { tools } = await ask('retrieve_tools', { query: 'delete file', limit: 1, detail: 'full' }, context);
    expect(tools).toEqual([
      {
        name: 'fs:delete_file',
        description: 'Delete a file from the disk.',
        inputSchema: files[2]?.inputSchema,
        score: expect.any(Number) as number,
        server: 'fs',
        annotations: { destructiveHint: true },
        call_with: 'call_tool_destructive',
      },
    ]);
  }
});

describe('filters', () => {
  test.each([
    ['read_only_only', ['fs:read_file'], { missing_annotation: 3, explicit: 0 }],
    ['exclude_destructive', ['fs:write_file'], { missing_annotation: 2, explicit: 1 }],
    ['exclude_open_world', ['fs:read_file'], { missing_annotation: 3, explicit: 0 }],
  ])('%s keeps only what says so of itself, and tells in numbers what it withholds', async (name, kept, omitted) => {
    const answer = await ask('retrieve_tools', { query: 'file', [name]: true });
    expect(idsOf(answer)).toEqual(kept);
    expect(answer).toMatchObject({ total: 1 });
    expect(answer['filter_diagnostics']).toEqual({
      matched_before_filters: 4,
      omitted_total: 3,
      omitted_by_filter: { [name]: omitted },
      suggestion: expect.any(String) as string,
    });
  });

  test('that withhold nothing are not spoken of', async () => {
    const onlyReading = helperContext([serverWith('fs', { tools: files.slice(0, 1) })]);
    const answer = await ask('retrieve_tools', { query: 'file', read_only_only: true }, onlyReading);
    expect(idsOf(answer)).toEqual(['fs:read_file']);
    expect(answer).not.toHaveProperty('filter_diagnostics');
  });

  test('are applied before the limit, so that it is filled', async () => {
    const worse = Array.from({ length: 50 }, (_, i) => ({ name: `file_${i}`, description: 'file file file' }));
    const answer = await ask(
      'retrieve_tools',
      { query: 'file', limit: 1, read_only_only: true },
      retrieveContext(worse),
    );
    expect(idsOf(answer)).toEqual(['fs:read_file']);
  });
});

describe('what may be asked for besides', () => {
  test('the risk of all tools together', async () => {
    const { session_risk: risk } = await ask('retrieve_tools', { query: 'file', include_session_risk_warning: true });
    expect(risk).toMatchObject({ level: 'high', lethal_trifecta: true, warning: expect.any(String) as string });
  });

  test('how often tools were called, and when last', async () => {
    const usage = { failures: 0, averageMs: 1, longestMs: 1, resultBytes: 1, givenBytes: 1, tokensIn: 1, tokensOut: 1 };
    const used = (server: string, tool: string, calls: number): ToolActivity => {
      return { server, tool, calls, lastUsedAt: Date.UTC(2026, 0, calls), ...usage };
    };
    const context = {
      ...retrieveContext(),
      toolActivity: () => [used('gone', 'read_file', 9), used('fs', 'read_file', 7), used('fs', 'stat_file', 2)],
    };
    const answer = await ask('retrieve_tools', { query: 'read file', limit: 2, include_stats: true }, context);
    expect(answer).toMatchObject({
      tools: [{ name: 'fs:read_file', usage_count: 7, last_used: '2026-01-07T00:00:00.000Z' }, { usage_count: 0 }],
      usage_summary: {
        top_tools: [
          { tool: 'fs:read_file', usage_count: 7 },
          { tool: 'fs:stat_file', usage_count: 2 },
        ],
      },
    });
    expect(await ask('retrieve_tools', { query: 'read file' }, context)).not.toHaveProperty('usage_summary');
  });

  test('servers that are switched off', async () => {
    const context = retrieveContext(
      [],
      [
        { name: 'fs', enabled: true, tools: 4 },
        { name: 'git', enabled: false, tools: 9 },
      ],
    );
    const answer = await ask('retrieve_tools', { query: 'file', include_disabled: true }, context);
    expect(answer['disabled']).toEqual([{ server: 'git', tools: 9, status: 'server_disabled' }]);
    expect(answer['remediation']).toEqual({ server_disabled: expect.stringContaining('tooltray enable') as string });
  });

  test('why something was found, and where a certain tool stands', async () => {
    const answer = await ask('retrieve_tools', { query: 'size of file', debug: true, explain_tool: 'fs:stat_file' });
    expect(answer['debug']).toMatchObject({ indexed_tools: 4, matched: 4 });
    expect(answer['explanation']).toMatchObject({
      found: true,
      rank: 1,
      why: expect.stringContaining('size') as string,
    });
    const other = await ask('retrieve_tools', { query: 'size', debug: true, explain_tool: 'fs:raed_file' });
    expect(other['explanation']).toMatchObject({
      found: false,
      did_you_mean: expect.arrayContaining(['fs:read_file']) as string[],
    });
  });
});

test('nothing found says so, and where to look', async () => {
  const answer = await ask('retrieve_tools', { query: 'zzzz' });
  expect(answer).toMatchObject({ tools: [], total: 0, hint: expect.stringContaining('Servers: fs.') as string });
});

test.each([{}, { query: '' }, { query: 5 }])('a search for nothing (%j) is refused', async (input) => {
  await expect(ask('retrieve_tools', input)).rejects.toMatchObject({ code: 'bad_request' });
});

test('a query of 100 kB is answered, and not repeated', async () => {
  const answer = await ask('retrieve_tools', { query: 'file '.repeat(20_000) });
  expect([(answer['tools'] as unknown[]).length, String(answer['query']).length]).toEqual([4, 200]);
});
