import { describe, expect, test } from 'vitest';
import { isObject, parseJson, toPlainNumber } from '../../../src-main/core/base/json.ts';
import { RandomJson, randomFrom } from '../wire/random-json.ts';

const roundTrip = (text: string): string => JSON.stringify(parseJson(text));

describe('spelling of numbers', () => {
  const spellings = [
    '12345678901234567890',
    '1234567890123456',
    '1.0',
    '-1.50',
    '10.10',
    '0.10',
    '1e400',
    '2E5',
    '-12e-07',
    '-0',
    '-0.0',
    '-0e1',
  ];

  test.each(spellings)('keeps %s wherever a number may stand', (number) => {
    const texts = [`${number}`, `[${number}]`, `[1,${number}]`, `{"a":${number}}`, `{"jsonrpc":"2.0","id":${number}}`];
    expect(texts.map(roundTrip)).toEqual(texts);
    expect(roundTrip(`{"a": ${number},\n "b":\t${number} }`)).toBe(`{"a":${number},"b":${number}}`);
  });

  test('parses plain numbers as numbers, and keeps texts that look like numbers as texts', () => {
    const text = '{"jsonrpc":"2.0","date":"2026-07-28","hash":"3e10","id":7,"count":-12,"version":"1.0.0"}';
    expect(parseJson(text)).toEqual({
      jsonrpc: '2.0',
      date: '2026-07-28',
      hash: '3e10',
      id: 7,
      count: -12,
      version: '1.0.0',
    });
  });

  test('does not treat a number that keeps its spelling as an object', () => {
    expect(isObject((parseJson('{"a":1.0}') as { a: unknown }).a)).toBe(false);
  });
});

/** JSON without white space and with normalized strings; numbers unchanged. */
function normal(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/gs) ?? [];
  return tokens.map((token) => (token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token)).join('');
}

test.each([1, 2, 3])('round-trips random documents (seed %i)', (seed) => {
  const json = new RandomJson(randomFrom(seed));
  for (let i = 0; i < 500; i++) {
    const text = json.value(5);
    expect(roundTrip(text)).toBe(normal(text));
  }
});

test.each(['', '{', '{a:1}', '01', '1.', '.5', '+1', '-', 'NaN', '[1.0,]', '{"a":1.0}x', "{'a':1}"])(
  'rejects %j',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);

test('keeps a member called __proto__, with and without numbers to keep', () => {
  for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1.0}}']) {
    const value = parseJson(text) as object;
    expect([Object.keys(value), Object.getPrototypeOf(value) === Object.prototype, JSON.stringify(value)]).toEqual([
      ['__proto__'],
      true,
      text,
    ]);
  }
});

test('isObject accepts only objects', () => {
  expect([{}, Object.create(null), [], null, 'x', 1, undefined].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('toPlainNumber converts numbers that keep their spelling, and leaves other values unchanged', () => {
  expect([parseJson('1.50'), 7, parseJson('1e400'), 'x', null, undefined].map(toPlainNumber)).toEqual([
    1.5,
    7,
    Infinity,
    'x',
    null,
    undefined,
  ]);
});

describe('nesting', () => {
  const lists = (depth: number, inside: string): string => '['.repeat(depth) + inside + ']'.repeat(depth);

  test('reads and writes up to 500 levels, and rejects more', () => {
    for (const number of ['1', '1.50']) {
      expect(roundTrip(lists(500, number))).toBe(lists(500, number));
      expect(() => parseJson(lists(501, number))).toThrow(RangeError);
      expect(() => parseJson(lists(500, `{"a":${number}}`))).toThrow(RangeError);
    }
  });

  test('counts only open brackets, and none inside texts', () => {
    const wide = `[${Array.from({ length: 1000 }, () => '[{}]').join(',')}]`;
    const texts = JSON.stringify(['['.repeat(2000), '\\', '"{'.repeat(600), '\\"[[['.repeat(400), ']'.repeat(600)]);
    expect([roundTrip(wide), roundTrip(texts)]).toEqual([wide, texts]);
    expect(() => parseJson(`["${']'.repeat(600)}",${lists(500, '1')}]`)).toThrow(RangeError);
  });
});
