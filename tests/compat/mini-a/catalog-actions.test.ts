/** Tests status, list and search of `proxy-dispatch`, and the filter that applies to all of them. */
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../../src-main/core/activity/activity-worker/count-tokens.ts';
import type { ServerSummary } from '../../../src-main/core/admin/server-summary.ts';
import { dispatchMode } from '../../../src-main/compat/mini-a/dispatch-mode.ts';
import { serverWith } from '../../core/catalog/catalog-of.ts';
import { dispatch, dispatchContext } from './dispatch-context.ts';

const echo = {
  name: 'echo_tool',
  description: 'Use this tool to echo the message. And a second sentence.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { title: 'Echoes', readOnlyHint: true },
};
const readFile = {
  name: 'read_file',
  description: 'Text of one path.',
  inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'Where it lies on the disk.' } } },
};
const servers = [serverWith('files', { tools: [readFile, echo] }), serverWith('b', { tools: [echo] })];
const facts = [
  { name: 'files', listedAt: 5, handshake: { serverInfo: { name: 'fs', version: '1' } } },
  { name: 'b', listedAt: 7, error: 'It did not start: TOKEN=abcdef123456 is wrong.' },
] as unknown as Partial<ServerSummary>[];
const context = dispatchContext(servers, { facts });

describe('tool and instructions', () => {
  test('one tool and instructions cost at most 340 tokens with thirteen servers', () => {
    const thirteen = dispatchContext(Array.from({ length: 13 }, (_, i) => serverWith(`server-${i}`, {})));
    const tools = JSON.stringify({ tools: dispatchMode.helpers.map((helper) => helper.definition) });
    expect(dispatchMode.helpers.map((helper) => helper.definition.name)).toEqual(['proxy-dispatch']);
    expect(dispatchMode.listed(thirteen)).toEqual([]);
    expect(countTokens(tools) + countTokens(dispatchMode.instructions(thirteen))).toBeLessThanOrEqual(340);
  });

  test("the schema declares every parameter of mini-a's tool", () => {
    const properties = dispatchMode.helpers[0]?.definition['inputSchema'] as { properties: object };
    expect(Object.keys(properties.properties)).toEqual(
      expect.arrayContaining([
        ...['argumentsFile', 'resultSizeThreshold', 'meta', 'includeTools', 'includeAnnotations', 'refresh'],
        ...['fromLine', 'toLine', 'lines', 'context', 'maxBytes'],
      ]),
    );
  });

  test('the instructions name some of many servers and count the others', () => {
    const many = dispatchContext(Array.from({ length: 300 }, (_, i) => serverWith(`s${i}`, {})));
    expect(dispatchMode.instructions(many)).toMatch(/, s\d+ and \d+ more\.$/);
    expect(dispatchMode.instructions(dispatchContext([]))).toMatch(/none yet\.$/);
  });
});

describe('list', () => {
  test('returns names and short descriptions by connection; the count is not in the text', async () => {
    const { json, facts: told } = await dispatch({ action: ' LIST ' }, context);
    const tool = { name: 'echo_tool', description: 'Echo the message' };
    const connections = [
      { id: 'files', alias: 'c1', tools: [tool, { name: 'read_file', description: 'Text of one path' }] },
      {
        id: 'b',
        alias: 'c2',
        lastError: expect.stringMatching(/^It did not start: TOKEN=\*\*\*/) as string,
        tools: [tool],
      },
    ];
    expect(json).toEqual({ action: 'list', connections });
    expect(told).toEqual({ action: 'list', totalConnections: 2 });
  });

  test("in detail adds the server's info and its error, with secrets masked", async () => {
    const { toon: json } = await dispatch({ action: 'list', format: 'detail' }, context);
    expect(json['connections']).toEqual([
      {
        id: 'files',
        alias: 'c1',
        serverInfo: { name: 'fs', version: '1' },
        lastRefreshed: 5,
        lastError: null,
        tools: [
          { name: 'echo_tool', description: echo.description, annotations: echo.annotations },
          { name: 'read_file', description: readFile.description },
        ],
        toolCount: 2,
      },
      expect.objectContaining({
        alias: 'c2',
        lastError: expect.stringMatching(/^It did not start: TOKEN=\*\*\*/) as string,
      }),
    ]);
  });

  test.each([
    [{ includeInputSchema: true, includeAnnotations: 'false' }, { inputSchema: echo.inputSchema }],
    [{ includeAnnotations: true }, { annotations: echo.annotations }],
  ])('in detail %j selects the fields of a tool', async (flags, told) => {
    const { toon: json } = await dispatch({ action: 'list', format: 'detail', connection: 'b', ...flags }, context);
    const [only] = json['connections'] as [{ tools: unknown[] }];
    expect(only.tools).toEqual([{ name: 'echo_tool', description: echo.description, ...told }]);
  });

  test.each([
    [{}, {}],
    [{ includeInputSchema: true }, { inputSchema: echo.inputSchema }],
    [{ includeAnnotations: true }, { annotations: echo.annotations }],
  ])('in short form %j selects the fields of a tool as well', async (flags, told) => {
    const { json } = await dispatch({ action: 'list', connection: 'b', ...flags }, context);
    const [only] = json['connections'] as [{ tools: unknown[] }];
    expect(only.tools).toEqual([{ name: 'echo_tool', description: 'Echo the message', ...told }]);
    const found = await dispatch({ action: 'search', query: 'echo', connection: 'b', ...flags }, context);
    expect(found.json['results']).toEqual([expect.objectContaining(told)]);
  });

  test('in short form without tools returns their number', async () => {
    const { json } = await dispatch({ action: 'list', connection: 'c1', includeTools: false }, context);
    expect(json['connections']).toEqual([{ id: 'files', alias: 'c1', toolCount: 2 }]);
  });

  test('returns JSON for what TOON cannot encode', async () => {
    const odd = dispatchContext([serverWith('a', { tools: [{ name: 'x', description: 'half a pair: \ud83d' }] })]);
    const { json } = await dispatch({ action: 'list', format: 'detail' }, odd);
    expect(json).toMatchObject({ action: 'list', totalConnections: 1, connections: [{ toolCount: 1 }] });
  });

  test('in detail without tools returns only their number', async () => {
    const { toon: json } = await dispatch({ action: 'list', format: 'detail', includeTools: false }, context);
    expect(json['connections']).toEqual([
      expect.not.objectContaining({ tools: expect.anything() as unknown }),
      expect.objectContaining({ toolCount: 1 }),
    ]);
  });

  test.each(['c2', 'b', 'B', 'c1', 'default', 'PRIMARY', 'files'])('finds the connection %s', async (connection) => {
    const { json } = await dispatch({ action: 'list', connection }, context);
    const first = ['c2', 'b', 'B'].includes(connection) ? 'c2' : 'c1';
    expect((json['connections'] as { alias: string }[]).map(({ alias }) => alias)).toEqual([first]);
  });

  test('keeps the texts of servers in raw mode', async () => {
    const { json } = await dispatch({ action: 'list', connection: 'c2' }, dispatchContext(servers, {}, true));
    expect(json['connections']).toEqual([
      { id: 'b', alias: 'c2', tools: [{ name: 'echo_tool', description: echo.description }] },
    ]);
  });
});

describe('status', () => {
  const status = async (...args: Parameters<typeof dispatchContext>): Promise<Record<string, unknown>> =>
    (await dispatch({ action: 'status' }, dispatchContext(...args))).json;

  test('returns counts, the last refresh and problems as text; the object has only the action', async () => {
    const { json, facts: told } = await dispatch({ action: 'status' }, context);
    expect(told).toEqual({ action: 'status' });
    expect(json).toEqual({
      action: 'status',
      totalConnections: 2,
      totalTools: 2,
      catalogHash: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      lastUpdated: 7,
      toolFilter: { allow: [], deny: [] },
      connections: [
        { alias: 'c1', toolCount: 2 },
        { alias: 'c2', toolCount: 1, lastError: expect.stringContaining('TOKEN=***') as string },
      ],
    });
  });

  test('the hash is stable for the same tools and changes with a text, a schema or another tool', async () => {
    const hashOf = async (tools: object[]): Promise<unknown> =>
      (await status([serverWith('a', { tools: tools as never })]))['catalogHash'];
    const variants = [
      [echo],
      [{ ...echo, description: 'Another.' }],
      [{ ...echo, inputSchema: { type: 'object' } }],
      [echo, readFile],
    ];
    const hashes = await Promise.all(variants.map(hashOf));
    expect(new Set(hashes).size).toBe(4);
    expect(await hashOf([echo])).toBe(hashes[0]);
    expect(
      (await status([serverWith('a', { tools: [echo] }), serverWith('b', { tools: [echo] })]))['catalogHash'],
    ).not.toBe(hashes[0]);
  });
});

describe('search', () => {
  interface Hit {
    readonly name: string;
    readonly matchedFields: string[];
  }
  interface Detail {
    readonly tool: { readonly name: string };
    readonly matchedFields: string[];
  }
  /** Detailed results, which contain the fields. */
  const hitsOf = async (input: object, on = context): Promise<Hit[]> => {
    const { toon } = await dispatch({ action: 'search', format: 'detail', ...input }, on);
    return (toon['results'] as Detail[]).map(({ tool: { name }, matchedFields }) => ({ name, matchedFields }));
  };

  test('finds the letters of the query in any case', async () => {
    const { json } = await dispatch({ action: 'search', query: 'ECHO' }, context);
    const hit = {
      name: 'echo_tool',
      description: 'Echo the message',
      signature: '(message)',
    };
    expect(json).toEqual({
      action: 'search',
      totalMatches: 2,
      results: [
        { alias: 'c2', ...hit },
        { alias: 'c1', ...hit },
      ],
      connections: { c1: 'files', c2: 'b' },
    });
    expect((await hitsOf({ query: 'ECHO' }))[0]?.matchedFields).toEqual(['name', 'description', 'annotations.title']);
  });

  test('finds tools for several needs at once', async () => {
    const { json } = await dispatch({ action: 'search', query: 'echo; read a file' }, context);
    const names = (json['results'] as Hit[]).map(({ name }) => name);
    expect([names[0], new Set(names)]).toEqual(['echo_tool', new Set(['echo_tool', 'read_file'])]);
  });

  test('finds by words what the letters alone do not match', async () => {
    expect((await hitsOf({ query: 'read a file' }))[0]).toMatchObject({ name: 'read_file', matchedFields: ['name'] });
  });

  test('finds a part of a word', async () => {
    expect((await hitsOf({ query: 'cho_to' })).map(({ name }) => name)).toEqual(['echo_tool', 'echo_tool']);
  });

  test('matches letters of schemas on request', async () => {
    expect(await hitsOf({ query: '"properties":{"pa' })).toEqual([]);
    expect(await hitsOf({ query: '"properties":{"pa', includeInputSchema: true })).toEqual([
      expect.objectContaining({ name: 'read_file', matchedFields: expect.arrayContaining(['inputSchema']) as unknown }),
    ]);
  });

  test('a limit cuts the results but not the count', async () => {
    const { json } = await dispatch({ action: 'search', query: 'echo', limit: '1' }, context);
    expect([json['totalMatches'], (json['results'] as unknown[]).length]).toEqual([2, 1]);
  });

  test('stays on the named connection', async () => {
    const { json } = await dispatch({ action: 'search', query: 'echo', connection: 'c2' }, context);
    expect([json['totalMatches'], json['results']]).toEqual([1, [expect.objectContaining({ alias: 'c2' })]]);
  });

  test('in detail returns connection and tool apart, with the schema on request', async () => {
    const input = { action: 'search', query: 'path', format: 'detail', includeInputSchema: true, limit: 1 };
    const { toon, facts } = await dispatch(input, context);
    expect(toon).toMatchObject(facts);
    expect(toon['results']).toEqual([
      {
        connection: { alias: 'c1', serverInfo: { name: 'fs', version: '1' } },
        tool: { name: 'read_file', description: readFile.description, inputSchema: readFile.inputSchema },
        matchedFields: expect.arrayContaining(['description', 'inputSchema']) as unknown,
      },
    ]);
  });

  test("finds a server's tools by its name only if no tool matches", async () => {
    const named = [serverWith('echo', { tools: [echo, readFile] }), serverWith('github', { tools: [readFile] })];
    const both = await Promise.all(['echo', 'github'].map((query) => hitsOf({ query }, dispatchContext(named))));
    expect(both.map((hits) => hits.map(({ name, matchedFields }) => [name, matchedFields.at(-1)]))).toEqual([
      [['echo_tool', expect.anything()]],
      [['read_file', 'connection']],
    ]);
  });

  test('returns the best without a limit; in detail all literal matches, and ten that share only words', async () => {
    const tools = Array.from({ length: 40 }, (_, i) => ({
      name: i < 20 ? `red_fox_${i}` : `red_${i}_fox`,
      description: 'x',
    }));
    const on = dispatchContext([serverWith('a', { tools })]);
    const { json } = await dispatch({ action: 'search', query: 'red_fox' }, on);
    expect([json['totalMatches'], (json['results'] as unknown[]).length]).toEqual([40, 12]);
    expect(await hitsOf({ query: 'red_fox' }, on)).toHaveLength(30);
  });

  test('answers a query of 100 kB without repeating it', async () => {
    const { text, isError } = await dispatch({ action: 'search', query: 'echo '.repeat(20_000) }, context);
    expect([isError, text.length < 2000]).toEqual([false, true]);
  });
});

describe('the filter', () => {
  const filtered = (allow: string[], deny: string[]): ReturnType<typeof dispatchContext> =>
    dispatchContext(servers, { toolFilter: { allow, deny } });

  test.each([
    [[], ['ECHO_tool'], ['files:read_file']],
    [[], ['b:echo_tool'], ['files:echo_tool', 'files:read_file']],
    [['Echo_Tool'], [], ['files:echo_tool', 'b:echo_tool']],
    [['echo_tool', 'read_file'], ['read_file'], ['files:echo_tool', 'b:echo_tool']],
  ])('allow %j and deny %j show %j, in lists, counts, searches and calls', async (allow, deny, shown) => {
    const on = filtered(allow, deny);
    const list = (await dispatch({ action: 'list' }, on)).json['connections'] as { tools: { name: string }[] }[];
    expect(list.flatMap(({ tools }, i) => tools.map(({ name }) => `${['files', 'b'][i]}:${name}`)).sort()).toEqual(
      [...shown].sort(),
    );
    const found = (await dispatch({ action: 'search', query: 'e' }, on)).json['totalMatches'];
    expect(found).toBe(shown.length);
    for (const tool of ['files:echo_tool', 'b:echo_tool', 'files:read_file']) {
      const { isError, text } = await dispatch({ action: 'call', tool, arguments: {} }, on);
      expect([tool, isError]).toEqual([tool, !shown.includes(tool)]);
      if (isError) expect(text).toContain('not allowed by the MCP proxy tool filter');
    }
    expect(on.calls.map(({ tool }) => tool).sort()).toEqual([...shown].sort());
  });

  test('applies after a refresh, which covers the named connection', async () => {
    const asked: unknown[] = [];
    const fresh = dispatchContext([servers[0] as never, serverWith('b', { tools: [echo, readFile] })]);
    const { level, catalog, index } = fresh;
    const on = dispatchContext(servers, {
      toolFilter: { allow: [], deny: ['echo_tool'] },
      refresh: async (only) => {
        asked.push(only);
        return { level, catalog, index, descriptions: fresh.descriptions };
      },
    });
    const { json } = await dispatch({ action: 'list', connection: 'c2', refresh: true }, on);
    expect([asked, json['connections']]).toEqual([
      ['b'],
      [{ id: 'b', alias: 'c2', tools: [{ name: 'read_file', description: 'Text of one path' }] }],
    ]);
  });
});

describe('errors', () => {
  test.each([
    [{ action: 'list', connection: 'zz' }, "Unknown connection identifier 'zz'"],
    [{ action: 'search', query: 'x', connection: 'C2' }, "Unknown connection identifier 'C2'"],
    [{ action: 'status', connection: 'zz', refresh: true }, "Unknown connection identifier 'zz' supplied for refresh"],
    [{ action: 'search' }, "requires a non-empty 'query'"],
    [{ action: 'search', query: '  ' }, "requires a non-empty 'query'"],
    [{ action: 'search', query: 'x', limit: 0 }, "'limit' must be an integer"],
    [{ action: 'list', format: 'xml' }, 'Formats: compact, detail'],
    [{ action: 'shell' }, "does not support action='shell'"],
    [
      { action: 'zap' },
      "Unsupported proxy-dispatch action 'zap'. Valid actions are: status, list, search, call, readresult",
    ],
    [{}, "Unsupported proxy-dispatch action ''"],
  ])('%j returns: %s', async (input, fragment) => {
    const { text, isError, facts: told } = await dispatch(input, context);
    expect([isError, text]).toEqual([true, expect.stringContaining(fragment)]);
    expect(told).toEqual({ action: (input as { action?: string }).action ?? '', error: text.replace('Error: ', '') });
  });

  test.each(['status', 'list', 'search', 'call'])(
    '%s without any server returns that there is none',
    async (action) => {
      const { text, isError } = await dispatch({ action, query: 'x', tool: 'x' }, dispatchContext([]));
      expect([isError, text]).toEqual([true, expect.stringContaining('not initialized or has no active connections')]);
    },
  );
});
