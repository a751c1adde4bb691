import { expect, test } from 'vitest';
import { ServerAliases } from '../../../src-main/core/catalog/live-catalog.ts';

test('numbers aliases in the given order, and keeps them for their servers', () => {
  const aliases = new ServerAliases();
  const given = [['a', 'b'], ['b'], ['new', 'b', 'a']].map((servers) => [...aliases.assign(servers)]);
  expect(given).toEqual([
    [
      ['a', 'c1'],
      ['b', 'c2'],
    ],
    [['b', 'c2']],
    [
      ['new', 'c3'],
      ['b', 'c2'],
      ['a', 'c1'],
    ],
  ]);
});
