/** Monograms of apps: two letters and a tile. */
import { expect, test } from 'vitest';
import { monogramOf, tiles } from '../../../src-renderer/lib/monogram.ts';

test.each([
  ['Claude Desktop', 'CD'],
  ['VS Code Insiders', 'VI'],
  ['Cursor', 'Cu'],
  ['q', 'Q'],
  ['my-app', 'MA'],
  ['日本 語', '日語'],
  ['  ', '?'],
])('abbreviates %j as %s', (name, letters) => {
  expect(monogramOf(name).letters).toBe(letters);
});

test('gives the same name the same tile, and uses all tiles', () => {
  const names = Array.from({ length: 60 }, (_, at) => `app ${at}`);
  expect(names.map((name) => monogramOf(name))).toEqual(names.map((name) => monogramOf(name)));
  expect(new Set(names.map((name) => monogramOf(name).tile))).toEqual(new Set(tiles));
});
