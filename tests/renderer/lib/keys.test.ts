/** Keys that do the same everywhere in the dashboard. */
import { describe, expect, test } from 'vitest';
import { commandOf, type KeyPress, paletteKey, viewShortcut } from '../../../src-renderer/lib/keys.ts';
import { views } from '../../../src-renderer/lib/addresses.ts';
import { indexAfter } from '../../../src-renderer/lib/row-keys.ts';
import { shortcutGroups } from '../../../src-renderer/lib/shortcuts.ts';

const plain = { key: '', code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const places = {
  app: { isMac: false, isBrowser: false },
  browser: { isMac: false, isBrowser: true },
  'app on a Mac': { isMac: true, isBrowser: false },
  'browser on a Mac': { isMac: true, isBrowser: true },
};
const held = {
  app: { ctrlKey: true },
  browser: { altKey: true, shiftKey: true },
  'app on a Mac': { metaKey: true },
  'browser on a Mac': { ctrlKey: true, altKey: true },
};
const all = Object.keys(places) as (keyof typeof places)[];

describe.each(all)('in the %s', (name) => {
  const place = places[name];

  test('its own keys with a digit open the view of that number, whatever the digit writes', () => {
    const press = (code: string): KeyPress => ({ ...plain, ...held[name], key: '&', code });
    const commands = ['Digit1', 'Numpad2', 'Digit7', 'Digit8', 'Digit0'].map((code) =>
      commandOf(press(code), true, place, views),
    );
    expect(commands).toEqual([{ view: 'overview' }, { view: 'inbox' }, { view: 'settings' }, undefined, undefined]);
  });

  test('the keys of the other places are left to whoever has them', () => {
    const others = all.filter((other) => other !== name).map((other) => held[other]);
    const taken = [...others, {}, { altKey: true }].filter((keys) =>
      commandOf({ ...plain, ...keys, code: 'Digit2' }, false, place, views),
    );
    expect(taken).toEqual([]);
  });
});

test('a shortcut is written as the system writes it', () => {
  expect(all.map((name) => viewShortcut(3, places[name]))).toEqual([
    { shown: 'Ctrl+3', aria: 'Control+3' },
    { shown: 'Alt+Shift+3', aria: 'Alt+Shift+3' },
    { shown: '⌘3', aria: 'Meta+3' },
    { shown: '⌃⌥3', aria: 'Control+Alt+3' },
  ]);
});

test('a slash goes to the filter, but is a slash where somebody is typing', () => {
  const press = { ...plain, key: '/' };
  expect([false, true].map((isTyping) => commandOf(press, isTyping, places.browser, views))).toEqual([
    'filter',
    undefined,
  ]);
});

test('the palette opens from everywhere, by the letter of whatever keyboard; in a field, too', () => {
  const press = (change: Partial<KeyPress>): KeyPress => ({ ...plain, key: 'k', code: 'KeyK', ...change });
  const of = (change: Partial<KeyPress>, place: keyof typeof places): unknown =>
    commandOf(press(change), true, places[place], views);
  expect([of({ ctrlKey: true }, 'browser'), of({ metaKey: true }, 'app on a Mac')]).toEqual(['palette', 'palette']);
  expect(of({ ctrlKey: true, key: 'л' }, 'app')).toBe('palette');
  // Where the letter K is another key, that of its usual place is another letter's.
  expect(of({ ctrlKey: true, key: 't' }, 'app')).toBeUndefined();
  expect([of({ ctrlKey: true }, 'app on a Mac'), of({ ctrlKey: true, shiftKey: true }, 'app'), of({}, 'app')]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('a question mark tells the keys, but is one where somebody is typing', () => {
  const press = { ...plain, key: '?', shiftKey: true };
  expect([false, true].map((isTyping) => commandOf(press, isTyping, places.app, views))).toEqual(['help', undefined]);
});

test('the table of shortcuts has each key that a command hears', () => {
  for (const name of all) {
    const keys = shortcutGroups(places[name], views).flatMap(({ rows }) => rows.flatMap((row) => row.keys));
    expect(keys).toEqual(expect.arrayContaining([paletteKey(places[name]).shown, '?', '/', 'Esc']));
    expect(keys).toEqual(expect.arrayContaining([1, 7].map((number) => viewShortcut(number, places[name]).shown)));
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
