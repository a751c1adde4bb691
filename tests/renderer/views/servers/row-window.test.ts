/** The rendered part of a list whose rows have different heights. */
import { expect, test } from 'vitest';
import { RowHeights, stretchRows } from '../../../../src-renderer/views/servers/row-window.ts';

const usual = 50;
const whole = stretchRows * usual;

test('renders visible rows, and reserves space for the rest', () => {
  const span = new RowHeights(usual).between(whole * 2 + 10, whole * 3 - 10, 1000);
  expect(span).toEqual({ first: 40, end: 60, above: 2 * whole, below: 47 * whole });
});

test('renders a list shorter than a block whole, and an empty one empty', () => {
  const heights = new RowHeights(usual);
  expect(heights.between(-500, 900, 7)).toEqual({ first: 0, end: 7, above: 0, below: 0 });
  expect(heights.between(0, 0, 0)).toEqual({ first: 0, end: 0, above: 0, below: 0 });
});

test('renders the last rows beyond the end', () => {
  expect(new RowHeights(usual).between(1e6, 1e6 + 100, 45)).toEqual({ first: 40, end: 45, above: 2 * whole, below: 0 });
});

test('keeps the measured height of rows until the list changes', () => {
  const heights = new RowHeights(usual);
  expect([heights.see(0, 300), heights.see(0, 300.4)]).toEqual([true, false]);
  expect(heights.between(300, 310, 1000)).toMatchObject({ first: 20, end: 40, above: 300 });
  heights.forget();
  expect(heights.between(300, 310, 1000)).toMatchObject({ first: 0, end: 20, above: 0 });
});

test('space and rows add up to the whole list at any position', () => {
  const heights = new RowHeights(usual);
  heights.see(3, 1234);
  for (let at = -1000; at < 60_000; at += 333) {
    const { first, end, above, below } = heights.between(at, at + 900, 1007);
    const stretches = Array.from({ length: Math.ceil((end - first) / stretchRows) }, (_, n) => first / stretchRows + n);
    const there = stretches.reduce((sum, n) => sum + (n === 3 ? 1234 : n === 50 ? 7 * usual : whole), 0);
    expect(above + there + below).toBe(49 * whole + 1234 + 7 * usual);
  }
});
