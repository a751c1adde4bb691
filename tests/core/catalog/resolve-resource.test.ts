import { describe, expect, test } from 'vitest';
import { buildCatalog, type CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { resourceNotFoundError, resolveResource } from '../../../src-main/core/catalog/resolve-resource.ts';
import { serverWith } from './catalog-of.ts';

const resources = (...uris: string[]) => ({ resources: uris.map((uri) => ({ uri })) });
const templates = (...uris: string[]) => ({ resourceTemplates: uris.map((uriTemplate) => ({ uriTemplate })) });

function target(servers: CatalogServer[], uri: string, shownBy: readonly string[] = []): string {
  const found = resolveResource(buildCatalog(servers, new Set()), uri, shownBy);
  return found === undefined ? '' : `${found.server} ${found.uri}`;
}

describe('a resource', () => {
  const two = [
    serverWith('a', { ...resources('data://same', 'tooltray://b/own'), ...templates('item://{id}') }),
    serverWith('b', { ...resources('data://same', 'data://b'), ...templates('item://{id}', 'b://{x}/end') }),
    serverWith('silent', {}),
  ];

  test.each([
    ['the server that lists it', 'data://b', 'b data://b'],
    ['the first server if the URI names it', 'tooltray://a/data://same', 'a data://same'],
    ['the second server if the URI names it', 'tooltray://b/data://same', 'b data://same'],
    ['the server named by a wrapped URI, even if another one lists it', 'tooltray://b/own', 'b own'],
    [
      'the server whose own URI looks wrapped, by its whole address',
      'tooltray://a/tooltray://b/own',
      'a tooltray://b/own',
    ],
    ['the server named by a wrapped URI that is not listed', 'tooltray://b/hidden', 'b hidden'],
    ['the server with a matching template', 'b://1/2/end', 'b b://1/2/end'],
    ['the second server by a template with its name', 'tooltray://b/item://7', 'b item://7'],
    ['no server if it is unknown', 'else://x', ''],
    ['no server if a wrapped URI names an unknown one', 'tooltray://gone/x', ''],
    ['no server if it is one of Tooltray', 'tooltray://spill/abc', ''],
  ])('is read from %s', (_what, uri, expected) => {
    expect(target(two, uri)).toBe(expected);
  });
});

test.each(['data://same', 'item://7'])('rejects %s of several servers, and names both wrapped URIs', (uri) => {
  const both = { ...resources('data://same'), ...templates('item://{id}') };
  expect(() => target([serverWith('a', both), serverWith('b', both)], uri)).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      fix: `Use one of: tooltray://a/${uri} or tooltray://b/${uri}.`,
    }),
  );
});

test('prefers a specific template over one that matches everything', () => {
  const servers = [serverWith('greedy', templates('{+any}')), serverWith('owner', templates('item://{id}'))];
  expect(target(servers, 'item://7')).toBe('owner item://7');
});

test('finds no server if none has resources', () => {
  expect(target([serverWith('a', {})], 'data://x')).toBe('');
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
])('matches template %s with %s: %s', (template, uri, fits) => {
  const owner = serverWith('owner', templates(template));
  expect(target([serverWith('other', resources('x://y')), owner], uri)).toBe(fits ? `owner ${uri}` : '');
});

test('adds and removes the prefix of a Magg server in lists and templates', () => {
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
  expect(target(servers, 'data://calc/cfg')).toBe('calc server data://cfg');
  expect(target(servers, 'data://cfg')).toBe('b data://cfg');
  expect(target(servers, 'data://calc/item/7')).toBe('calc server data://item/7');
});

describe('an unlisted resource', () => {
  const servers = [
    serverWith('a', resources('data://a')),
    serverWith('b', templates('item://{id}')),
    serverWith('c', {}),
  ];

  test.each([
    ['the server that has shown it', 'else://x', ['c'], 'c else://x'],
    ['the server that has shown it, whatever template matches', 'item://7', ['a'], 'a item://7'],
    ['the server that lists it, even if another has shown it', 'data://a', ['b'], 'a data://a'],
    ['no server if the one that has shown it is gone', 'else://x', ['gone'], ''],
  ])('is read from %s', (_whom, uri, shownBy, expected) => {
    expect(target(servers, uri, shownBy)).toBe(expected);
  });

  test('is rejected if several servers have shown it, and both wrapped URIs are named', () => {
    expect(() => target(servers, 'else://x', ['a', 'b'])).toThrow(
      expect.objectContaining({ fix: 'Use one of: tooltray://a/else://x or tooltray://b/else://x.' }),
    );
  });

  test('is rejected with suggestions if no server has shown it', () => {
    const catalog = buildCatalog(servers, new Set());
    expect(resourceNotFoundError('else://x', catalog).text).toContain('tooltray://SERVER/else://x, with one of: a, b.');
    expect(resourceNotFoundError('data://aa', catalog).text).toContain('Did you mean data://a?');
  });
});
