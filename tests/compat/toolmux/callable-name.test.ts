import { describe, expect, test } from 'vitest';
import { type Catalog, type CatalogEntry, resolveEntry } from '../../../src-main/core/catalog/catalog.ts';
import { callableName } from '../../../src-main/compat/toolmux/tool-summaries.ts';
import { catalogOf } from '../../core/catalog/catalog-of.ts';

const namesIn = (catalog: Catalog): [CatalogEntry, string][] =>
  catalog.tools.map((tool) => [tool, callableName(tool, catalog)]);

test('a tool has its own name unless another tool, server or helper tool has it', () => {
  const catalog = catalogOf({ a: ['x', 'only', 'c2:x', 'invoke'], b: ['x', 'a_x', 'a__only'] }, ['invoke']);
  expect(Object.fromEntries(namesIn(catalog).map(([{ id }, name]) => [id, name]))).toEqual({
    'a:x': 'a_x',
    'a:only': 'only',
    'a:c2:x': 'a_c2_x',
    'a:invoke': 'a_invoke',
    'b:x': 'b_x',
    'b:a_x': 'b_a_x',
    'b:a__only': 'b_a__only',
  });
});

describe('every name that is shown resolves to its own tool', () => {
  test.each([
    { git: ['hub_x', 'x'], git_hub: ['x', 'hub_x'] },
    { a: ['b_c', 'c'], a_b: ['c'], 'a-b': ['c', 'b_c'] },
    { default: ['x'], c1: ['x', 'default_x'], c2: ['c1_x', 'y'] },
    { __proto__: ['constructor', 'toString'], 'x y': ['constructor', 'x-y_constructor'] },
  ])('%j', (servers) => {
    const catalog = catalogOf(servers);
    const meant = namesIn(catalog).map(([tool, name]) => [tool.id, resolveEntry(catalog, 'tools', name).id]);
    for (const [shown, found] of meant) expect(found).toBe(shown);
    expect(new Set(namesIn(catalog).map(([, name]) => name)).size).toBe(catalog.tools.length);
  });
});
