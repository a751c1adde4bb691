/** The rendered part of a long list. */
import { describe, expect, test } from 'vitest';
import {
  clampOffset,
  maxVisibleRows,
  offsetAt,
  placeShowing,
  scrollHeight,
  scrollTopFor,
  visibleRows,
} from '../../../src-renderer/lib/virtual-rows.ts';

describe.each([1_000, 20_000_000])('a list of %d rows', (count) => {
  const size = { count, rowHeight: 18, viewport: 400 };
  const bottom = scrollHeight(size) - size.viewport;

  test('starts with its first row and ends with its last', () => {
    expect(visibleRows(offsetAt(0, size), size)).toMatchObject({ first: 0, offset: 0 });
    const place = offsetAt(bottom, size);
    const { end, first, offset } = visibleRows(place, size);
    expect(end).toBe(count);
    expect(offset + (end - first) * size.rowHeight).toBeCloseTo(size.viewport, 3);
  });

  test('stays below the scroll height that browsers support', () => {
    expect(scrollHeight(size)).toBeLessThan(16_000_000);
  });

  test('keeps its position when converted to a scroll position and back', () => {
    const place = 18 * Math.floor(count / 3);
    expect(offsetAt(scrollTopFor(place, size), size)).toBeCloseTo(place, 3);
  });
});

test('a list shorter than the viewport does not scroll', () => {
  const size = { count: 3, rowHeight: 18, viewport: 400 };
  expect([offsetAt(50, size), clampOffset(50, size), scrollTopFor(50, size)]).toEqual([0, 0, 0]);
  expect(visibleRows(0, size)).toEqual({ first: 0, end: 3, offset: 0 });
});

test('an empty list shows no rows', () => {
  expect(visibleRows(0, { count: 0, rowHeight: 18, viewport: 400 })).toEqual({ first: 0, end: 0, offset: 0 });
});

test('scrolls a row into view by the shortest distance', () => {
  const size = { count: 1_000, rowHeight: 20, viewport: 100 };
  expect([placeShowing(2, 200, size), placeShowing(12, 200, size), placeShowing(30, 200, size)]).toEqual([
    40, 200, 520,
  ]);
});

test('renders at most maxVisibleRows at any scroll position', () => {
  const size = { count: 1_000, rowHeight: 20, viewport: 110 };
  const counts = Array.from({ length: 400 }, (_, at) => {
    const { first, end } = visibleRows(at * 7, size);
    return end - first;
  });
  expect(Math.max(...counts)).toBe(maxVisibleRows(size));
});
