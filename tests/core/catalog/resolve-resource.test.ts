import { describe, expect, test } from 'vitest';
import { buildCatalog, type CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { resourceTargets } from '../../../src-main/core/catalog/resolve-resource.ts';
import { serverWith } from './catalog-of.ts';

const resources = (...uris: string[]) => ({ resources: uris.map((uri) => ({ uri })) });
const templates = (...uris: string[]) => ({ resourceTemplates: uris.map((uriTemplate) => ({ uriTemplate })) });

function targets(servers: CatalogServer[], uri: string): string[] {
  return resourceTargets(buildCatalog(servers, new Set()), uri).map((target) => `${target.server} ${target.uri}`);
}

describe('a resource is read from', () => {
  const two = [
    serverWith('a', { ...resources('data://same', 'tooltray://b/own'), ...templates('item://{id}') }),
    serverWith('b', { ...resources('data://same', 'data://b'), ...templates('item://{id}', 'b://{x}/end') }),
    serverWith('silent', {}),
  ];

  test.each([
    ['the server that lists it', 'data://b', ['b data://b']],
    ['the first where the URI says so', 'tooltray://a/data://same', ['a data://same']],
    ['the second where the URI says so', 'tooltray://b/data://same', ['b data://same']],
    ['the server that a wrapped URI names, whatever another one lists', 'tooltray://b/own', ['b own']],
    [
      'the server whose own URI merely looks wrapped, by its whole address',
      'tooltray://a/tooltray://b/own',
      ['a tooltray://b/own'],
    ],
    ['the server inside a wrapped URI that no list shows', 'tooltray://b/hidden', ['b hidden']],
    ['the server whose template it fits', 'b://1/2/end', ['b b://1/2/end']],
    ['the second one, by the template that says whose it is', 'tooltray://b/item://7', ['b item://7']],
    ['every server with resources, where nothing is known of it', 'else://x', ['a else://x', 'b else://x']],
    ['nobody where a wrapped URI names no server', 'tooltray://gone/x', []],
    ['nobody where it is one of ours', 'tooltray://spill/abc', []],
    ["nobody where it is one of Magg's, which we answer", 'magg://server/abc', []],
  ])('%s', (_what, uri, expected) => {
    expect(targets(two, uri)).toEqual(expected);
  });
});

test.each(['data://same', 'item://7'])(
  '%s of several servers is refused, with the ways to say whose is meant',
  (uri) => {
    const both = { ...resources('data://same'), ...templates('item://{id}') };
    expect(() => targets([serverWith('a', both), serverWith('b', both)], uri)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        fix: `Say whose is meant: tooltray://a/${uri} or tooltray://b/${uri}.`,
      }),
    );
  },
);

test('a template that fits everything does not take what another one describes', () => {
  const servers = [serverWith('greedy', templates('{+any}')), serverWith('owner', templates('item://{id}'))];
  expect(targets(servers, 'item://7')).toEqual(['owner item://7']);
});

test('nowhere when no server has resources', () => {
  expect(targets([serverWith('a', {})], 'data://x')).toEqual([]);
});

test.each([
  ['data://{id}', 'data://1', true],
  ['data://{id}', 'data:/1', false],
  ['{+any}', 'whatever', true],
  ['data://{a}/mid/{b}', 'data://1/mid/2', true],
  ['data://{a}/mid/{b}', 'data://1/2', false],
  ['data://{a}.json', 'data://x.json', true],
  ['data://{a}.json', 'data://x.xml', false],
  ['aa{x}aa', 'aaa', false],
  ['aa{x}a{y}aa', 'aaaa', false],
  ['aa{x}a{y}aa', 'aaaaa', true],
  ['a.c{x}', 'abc1', false],
  ['plain://', 'plain://x', false],
  ['open://{id', 'open://1', false],
])('the template %s fits %s: %s', (template, uri, fits) => {
  const owner = serverWith('owner', templates(template));
  expect(targets([serverWith('other', resources('x://y')), owner], uri)).toEqual(
    fits ? [`owner ${uri}`] : [`other ${uri}`, `owner ${uri}`],
  );
});

test("by Magg's prefix of its server, in lists and in what is made of a template", () => {
  const servers = [
    {
      ...serverWith('calc server', { ...resources('data://cfg', 'urn:x'), ...templates('data://item/{id}') }),
      prefix: 'calc',
    },
    serverWith('b', resources('data://cfg')),
  ];
  const { resources: listed, resourceTemplates } = buildCatalog(servers, new Set());
  expect([...listed, ...resourceTemplates].map(({ listedUri }) => listedUri)).toEqual([
    'data://calc/cfg',
    'urn:x',
    'data://cfg',
    'data://calc/item/{id}',
  ]);
  expect(targets(servers, 'data://calc/cfg')).toEqual(['calc server data://cfg']);
  expect(targets(servers, 'data://cfg')).toEqual(['b data://cfg']);
  expect(targets(servers, 'data://calc/item/7')).toEqual(['calc server data://item/7']);
});
