import { expect, test } from 'vitest';
import { ServerAliases } from '../../../src-main/core/catalog/live-catalog.ts';

test('aliases count in the order given, and stay with their server whatever comes and goes', () => {
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
