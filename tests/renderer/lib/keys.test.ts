/** Keys that do the same everywhere in the dashboard. */
import { describe, expect, test } from 'vitest';
import { commandOf } from '../../../src-renderer/lib/keys.ts';
import { indexAfter } from '../../../src-renderer/lib/row-keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };

test.each([{ ctrlKey: true }, { metaKey: true }])('%o with a digit opens the view of that number', (held) => {
  const views = ['1', '2', '6', '7', '0'].map((key) => commandOf({ ...plain, ...held, key }, true));
  expect(views).toEqual([{ view: 'overview' }, { view: 'servers' }, { view: 'settings' }, undefined, undefined]);
});

describe('a slash goes to the filter', () => {
  test('but is a slash where somebody is typing', () => {
    const press = { ...plain, key: '/' };
    expect([commandOf(press, false), commandOf(press, true)]).toEqual(['filter', undefined]);
  });
});

test('a digit that makes another sign with Alt is nobody’s', () => {
  expect(commandOf({ ctrlKey: true, metaKey: false, altKey: true, key: '2' }, false)).toBeUndefined();
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
