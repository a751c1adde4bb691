import { expect, test } from 'vitest';
import { parseJson } from '../../../src-main/core/base/json.ts';
import { fromToon, toToon } from '../../../src-main/core/spills/toon.ts';

test('round-trips values', () => {
  const value = {
    text: 'a: b, "c"\nd',
    empty: '',
    looksLike: ['true', '5', 'null', '- x', '[1]'],
    nothing: null,
    list: [],
    object: {},
    rows: [
      { id: 1, ok: true },
      { id: 2, ok: false },
    ],
    mixed: [1, 'x', { deep: [{ a: 1 }, [2]] }],
    ['__proto__ and others']: -0.5,
  };
  expect(fromToon(toToon(value))).toEqual(value);
});

test('writes similar objects as a table', () => {
  expect(
    toToon({
      rows: [
        { i: 1, v: 'x' },
        { i: 2, v: 'y' },
      ],
    }),
  ).toBe('rows[2]{i,v}:\n  1,x\n  2,y');
});

test('keeps the spelling of numbers, also in tables', () => {
  const value = parseJson('{"id":12345678901234567890,"rows":[{"n":1.0},{"n":2.50}]}');
  expect(toToon(value)).toBe('id: 12345678901234567890\nrows[2]{n}:\n  1.0\n  2.50');
});

test('omits members that JSON would omit', () => {
  expect(toToon({ a: undefined, b: 1 })).toBe('b: 1');
});

test('rejects an integer that would lose digits instead of rounding it', () => {
  expect(() => fromToon('ids[2]: 1,12345678901234567890')).toThrow(SyntaxError);
  expect(fromToon('id: 9007199254740991')).toEqual({ id: 9007199254740991 });
});

test('rejects a table with too few rows', () => {
  expect(() => fromToon('rows[3]{i}:\n  1\n  2')).toThrow(SyntaxError);
});
