/** Keyboard shortcuts of the dashboard. */
import { expect, test } from 'vitest';
import { type Command, commandOf, type KeyPress, keysOfView, paletteKey } from '../../../src-renderer/lib/keys.ts';
import { views } from '../../../src-renderer/lib/addresses.ts';
import { indexAfter } from '../../../src-renderer/lib/row-keys.ts';
import { shortcutGroups } from '../../../src-renderer/lib/shortcuts.ts';

const plain = { key: '', code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const page = { isTyping: false, isMac: false, isAfterGo: false, views };

function press(key: string, held: Partial<KeyPress> = {}): KeyPress {
  return { ...plain, key, ...held };
}

test('G and a letter open each view, with a unique letter for each', () => {
  expect(commandOf(press('g'), page)).toBe('go');
  const opened = views.map((view) => commandOf(press(keysOfView(view)[1].toLowerCase()), { ...page, isAfterGo: true }));
  expect(opened).toEqual(views.map((view) => ({ view })));
});

test('ignores the letter alone, with a modifier key, or in a text field', () => {
  expect(commandOf(press('o'), page)).toBeUndefined();
  for (const key of ['g', 'o', 'n', '/', '?']) {
    expect(commandOf(press(key), { ...page, isTyping: true, isAfterGo: true })).toBeUndefined();
  }
  expect(commandOf(press('o', { ctrlKey: true }), { ...page, isAfterGo: true })).toBeUndefined();
});

test('identifies letters of other scripts by the position of their key', () => {
  expect(commandOf(press('п', { code: 'KeyG' }), page)).toBe('go');
  expect(commandOf(press('щ', { code: 'KeyO' }), { ...page, isAfterGo: true })).toEqual({ view: 'overview' });
});

test('a slash opens the filter, a question mark the shortcuts, N a new server', () => {
  const commands = [press('/'), press('?', { shiftKey: true }), press('n')].map((one) => commandOf(one, page));
  expect(commands).toEqual(['filter', 'help', 'add-server']);
  expect(commandOf(press('n'), { ...page, views: ['overview', 'servers'] })).toBeUndefined();
});

test('the palette shortcut works with any keyboard layout and in text fields', () => {
  const of = (change: Partial<KeyPress>, isMac = false): Command | undefined =>
    commandOf({ ...plain, key: 'k', code: 'KeyK', ...change }, { ...page, isTyping: true, isMac });
  expect([of({ ctrlKey: true }), of({ metaKey: true }, true)]).toEqual(['palette', 'palette']);
  expect(of({ ctrlKey: true, key: 'л' })).toBe('palette');
  // On a layout where K is another key, the key at its usual position is another letter.
  expect(of({ ctrlKey: true, key: 't' })).toBeUndefined();
  expect([of({ ctrlKey: true }, true), of({ ctrlKey: true, shiftKey: true }), of({})]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('lists each key of a command among the shortcuts', () => {
  for (const isMac of [true, false]) {
    const rows = shortcutGroups(isMac, views).flatMap((group) => group.rows);
    expect(rows.flatMap(({ keys }) => keys)).toEqual(
      expect.arrayContaining([paletteKey(isMac).shown, '?', '/', 'Esc', 'N']),
    );
    expect(rows.map(({ keys }) => keys)).toEqual(expect.arrayContaining(views.map(keysOfView)));
  }
});

test('arrows move from row to row and stop at the ends', () => {
  const moves = [
    indexAfter('ArrowDown', 1, 3),
    indexAfter('ArrowDown', 2, 3),
    indexAfter('ArrowUp', 0, 3),
    indexAfter('Home', 2, 3),
    indexAfter('End', 0, 3),
    indexAfter('a', 1, 3),
  ];
  expect(moves).toEqual([2, 2, 0, 0, 2, -1]);
});
