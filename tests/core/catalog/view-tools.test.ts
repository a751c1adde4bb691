/** Names and URIs in a catalog for apps that show views. */
import { expect, test } from 'vitest';
import { buildCatalog, type Catalog, type CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { resolveResource } from '../../../src-main/core/catalog/resolve-resource.ts';
import { viewUriOf } from '../../../src-main/core/servers/ui-metadata.ts';
import { serverWith } from './catalog-of.ts';

const none: ReadonlySet<string> = new Set();
const shown = (...servers: readonly CatalogServer[]): Catalog => buildCatalog(servers, none, undefined, true);
type Tool = Readonly<Record<string, unknown>>;

const withView = (name: string, uri = 'ui://a/view'): Tool => ({ name, _meta: { ui: { resourceUri: uri } } });
const appOnly = (name: string): Tool => ({ name, _meta: { ui: { visibility: ['app'] } } });
const offering = (name: string, ...tools: readonly Tool[]): CatalogServer => serverWith(name, { tools });

const listed = ({ tools }: Catalog): string[] => tools.map(({ listedName }) => listedName);
const called = ({ viewTools }: Catalog): string[] => viewTools.map(({ id, isAlone }) => `${id}${isAlone ? '' : ' ?'}`);

test('excludes tools that are for views only, whatever the app shows', () => {
  const server = offering('a', withView('show'), appOnly('tick'), { name: 'odd', _meta: { ui: { visibility: [] } } });
  expect(listed(shown(server))).toEqual(['show']);
  expect(listed(buildCatalog([server], none))).toEqual(['show']);
  expect(called(shown(server))).toEqual(['a:show', 'a:tick']);
  expect(called(buildCatalog([server], none))).toEqual([]);
});

test('gives views the tools of servers with views, by their original names', () => {
  const [a, b] = [offering('a', withView('show'), { name: 'get' }), offering('b', withView('show'), appOnly('tick'))];
  expect(called(shown(a, b, offering('c', { name: 'get' })))).toEqual(['a:show ?', 'a:get', 'b:show ?', 'b:tick']);
});

test('does not list a tool under a name that a view of another server calls', () => {
  const [a, git] = [offering('a', withView('show'), { name: 'git_log' }), offering('git', { name: 'git_log' })];
  expect(listed(buildCatalog([a, git], none))).toEqual(['a_git_log', 'a_show', 'git_log']);
  expect(listed(shown(a, git))).toEqual(['a_git_log', 'a_show', 'git_git_log']);
});

test('distinguishes views with the same URI, and resolves each to its server', () => {
  const [a, b] = [offering('a', withView('show')), offering('b b', withView('show'))];
  const alone = offering('c', withView('other', 'ui://c/view'));
  const catalog = shown(a, b, alone);
  const uris = catalog.tools.map(({ definition }) => viewUriOf(definition) ?? '');
  expect(uris).toEqual(['ui://tooltray/a/a/view', 'ui://tooltray/b%20b/a/view', 'ui://c/view']);
  expect(uris.map((uri) => resolveResource(catalog, uri))).toEqual([
    { server: 'a', uri: 'ui://a/view' },
    { server: 'b b', uri: 'ui://a/view' },
    { server: 'c', uri: 'ui://c/view' },
  ]);
  expect(() => resolveResource(catalog, 'ui://a/view')).toThrow('Several servers provide the resource');
  expect(resolveResource(catalog, 'ui://tooltray/nobody/a/view')).toBeUndefined();
});

test('does not trust a server that names a view like one of Tooltray', () => {
  const [a, b] = [offering('a', withView('show')), offering('b', withView('show', 'ui://tooltray/a/a/view'))];
  const catalog = shown(a, b);
  const uris = catalog.tools.map(({ definition }) => viewUriOf(definition) ?? '');
  expect(uris).toEqual(['ui://a/view', 'ui://tooltray/b/tooltray/a/a/view']);
  expect(resolveResource(catalog, uris[1] ?? '')).toEqual({ server: 'b', uri: 'ui://tooltray/a/a/view' });
  expect(resolveResource(catalog, 'ui://tooltray/a/a/view')).toEqual({ server: 'a', uri: 'ui://a/view' });
});
