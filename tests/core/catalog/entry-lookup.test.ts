import { expect, test } from 'vitest';
import { resolveEntry, withTools } from '../../../src-main/core/catalog/catalog.ts';
import { catalogOf } from './catalog-of.ts';

const catalog = catalogOf({ a: ['x', 'y', 'b:z'], 'a:b': ['z'], constructor: ['x'] });
const { tools } = catalog.lookup;
const ids = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);

test('finds entries by each of their names, in the order of the catalog', () => {
  expect(tools.byListedName('a_x')?.id).toBe('a:x');
  expect(ids(tools.byName('x'))).toEqual(['a:x', 'constructor:x']);
  expect(tools.byId('a:b:z').map(({ server }) => server)).toEqual(['a', 'a:b']);
  expect(ids(tools.byServer('a'))).toEqual(['a:b:z', 'a:x', 'a:y']);
});

test('finds nothing for names of object prototypes and unknown names', () => {
  for (const name of ['toString', 'hasOwnProperty', '']) {
    expect([tools.byListedName(name), tools.byName(name), tools.byId(name), tools.byServer(name)]).toEqual([
      undefined,
      [],
      [],
      [],
    ]);
  }
});

test('finds only the tools of a reduced catalog', () => {
  const some = withTools(catalog, tools.byServer('constructor'));
  expect(resolveEntry(some, 'tools', 'x').id).toBe('constructor:x');
  expect(() => resolveEntry(some, 'tools', 'a:y')).toThrow('was not found');
  expect(resolveEntry(catalog, 'tools', 'a:y').id).toBe('a:y');
});
