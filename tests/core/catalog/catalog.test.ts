import { describe, expect, test } from 'vitest';
import {
  buildCatalog,
  type CatalogServer,
  resolveEntry,
  usableSchema,
} from '../../../src-main/core/catalog/catalog.ts';
import { unwrapUri, wrapUri } from '../../../src-main/core/catalog/resource-uris.ts';
import { serverWith, toolsNamed } from './catalog-of.ts';

const none: ReadonlySet<string> = new Set();

describe('tools and prompts', () => {
  test('follow the order of the config, then of names, with unchanged definitions', () => {
    const definition = { name: 'b', vendor: { kept: [1] }, inputSchema: 'nonsense' };
    const servers = [
      serverWith('z', { tools: [definition, { name: 'B' }, { name: 'a' }] }),
      serverWith('a', toolsNamed('x')),
    ];
    const { tools } = buildCatalog(servers, none);
    expect(tools.map((tool) => tool.id)).toEqual(['z:B', 'z:a', 'z:b', 'a:x']);
    expect(tools[2]?.definition).toBe(definition);
  });

  test('are listed once if a server lists a name twice, as it was listed first', () => {
    const { tools } = buildCatalog([serverWith('s', { tools: [{ name: 'x', title: 'first' }, { name: 'x' }] })], none);
    expect(tools.map((tool) => tool.definition)).toEqual([{ name: 'x', title: 'first' }]);
  });

  test('are not prefixed twice with the server name, and resolve in both spellings', () => {
    const git = serverWith('git', toolsNamed('git_log', 'status', 'git_status', 'gitk', 'git_'));
    const names = (...servers: CatalogServer[]): string[] =>
      buildCatalog(servers, new Set(['git_show'])).tools.map(({ listedName }) => listedName);
    // Two tools would be named `git_status`, so each keeps its prefix.
    const expected = ['git_git_', 'git_log', 'git_git_status', 'git_gitk', 'git_status'];
    expect(names(git, serverWith('a', toolsNamed('git_log')))).toEqual([...expected, 'a_git_log']);
    expect(names(serverWith('git', toolsNamed('git_show')), serverWith('a', {}))).toEqual(['git_git_show']);
    const catalog = buildCatalog([git, serverWith('a', {})], none);
    for (const spelling of ['git_log', 'git_git_log', 'git:git_log', 'git__git_log'])
      expect(resolveEntry(catalog, 'tools', spelling).id).toBe('git:git_log');
  });

  test('start their description with the problem of an unavailable server', () => {
    const tools = [{ name: 'a', description: 'Does a.' }, { name: 'b' }];
    const down = { ...serverWith('s', { tools }), down: 'needs sign-in' };
    expect(buildCatalog([down], none).tools).toMatchObject([
      { down: 'needs sign-in', definition: { description: '[needs sign-in] Does a.' } },
      { down: 'needs sign-in', definition: { description: '[needs sign-in]' } },
    ]);
  });

  test('may share names, also with helper tools', () => {
    const one = serverWith('s', { ...toolsNamed('ask'), prompts: [{ name: 'ask' }, { name: 'search_tools' }] });
    const { prompts } = buildCatalog([one], new Set(['search_tools']));
    expect(prompts.map((prompt) => prompt.listedName)).toEqual(['ask', 'search_tools']);
  });
});

describe('resources', () => {
  const uris = (...names: string[]) => ({ resources: names.map((uri) => ({ uri, name: uri })) });

  test('keep their URI, unless several servers share it or it looks like one of Tooltray', () => {
    const { resources } = buildCatalog(
      [
        serverWith('a', uris('data://x', 'data://y')),
        serverWith('b/ö', uris('data://x')),
        serverWith('c', uris('data://x', 'tooltray://spill/mine')),
      ],
      none,
    );
    expect(resources.map((one) => one.listedUri)).toEqual([
      'tooltray://a/data://x',
      'data://y',
      'tooltray://b%2F%C3%B6/data://x',
      'tooltray://c/data://x',
      'tooltray://c/tooltray://spill/mine',
    ]);
  });

  test('are listed once if a server lists one twice', () => {
    const { resources } = buildCatalog([serverWith('a', uris('data://x', 'data://x', 'data://x'))], none);
    expect(resources.map((one) => one.listedUri)).toEqual(['data://x']);
  });

  test('include templates, which keep their expressions when several servers share one', () => {
    const templates = { resourceTemplates: [{ uriTemplate: 'data://item/{id}{?q*}' }] };
    const { resourceTemplates } = buildCatalog([serverWith('a', templates), serverWith('b', templates)], none);
    expect(resourceTemplates.map((one) => one.listedUri)).toEqual([
      'tooltray://a/data://item/{id}{?q*}',
      'tooltray://b/data://item/{id}{?q*}',
    ]);
  });

  test('round-trip server and URI in a wrapped URI', () => {
    for (const [server, uri] of [
      ['a', 'data://x'],
      ['with / and %2F', 'file:///a b/%20?q=1#f\nline'],
      ['a', wrapUri('b', 'data://x')],
    ] as const) {
      expect(unwrapUri(wrapUri(server, uri))).toEqual({ server, uri });
    }
  });

  test.each(['data://x', 'tooltray://a', 'tooltray://a/', 'tooltray://%E0%A4%A/x', ''])(
    'do not recognize %j as a wrapped URI',
    (uri) => {
      expect(unwrapUri(uri)).toBeUndefined();
    },
  );
});

test.each([
  ['nonsense', { type: 'object' }],
  [undefined, { type: 'object' }],
  [[1], { type: 'object' }],
  [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
  [
    { type: ['object', 'null'], $defs: {} },
    { type: 'object', $defs: {} },
  ],
])('turns the input schema %j into one that client apps accept', (inputSchema, usable) => {
  expect(usableSchema({ inputSchema })).toEqual(usable);
});

test('contains the instructions of servers that have some', () => {
  const { instructions } = buildCatalog([serverWith('a', {}, 'Ask me.'), serverWith('b', {})], none);
  expect([...instructions]).toEqual([['a', 'Ask me.']]);
});

test('names tools by the prefix of the entry, also with a single server', () => {
  const only = {
    ...serverWith('calc server', { tools: [{ name: 'add' }], prompts: [{ name: 'p' }] }),
    prefix: 'calc_2',
  };
  const { tools, prompts } = buildCatalog([only], new Set());
  expect([tools, prompts].map((list) => list.map(({ listedName }) => listedName))).toEqual([
    ['calc_2_add'],
    ['calc_2_p'],
  ]);
  const both = buildCatalog([only, serverWith('b', { tools: [{ name: 'add' }] })], new Set());
  expect(both.tools.map(({ listedName }) => listedName)).toEqual(['calc_2_add', 'b_add']);
});
