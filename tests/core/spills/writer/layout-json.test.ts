/** Indented JSON: the same value, the same numbers, a line for each element. */
import { describe, expect, test } from 'vitest';
import { compactJson, layoutJson, memberSpans } from '../../../../src-main/core/spills/writer/layout-json.ts';

function pretty(text: string): string {
  return layoutJson(Buffer.from(text)).toString('utf8');
}

const values: readonly unknown[] = [
  { a: 1, b: [true, false, null], c: { d: 'x', e: {} }, f: [] },
  [[[[]]], [{}], [[1], [2, [3]]]],
  'a text with "quotes", \\ backslashes, / slashes, \n lines, \u0001 and \u007f',
  { 'é ñ 漢 😀': '😀😀', '': '', '\ud800': '\udc00 alone', 'a\udbffb': 1 },
  [0, -0.5, 1.25, 1e21, 1e-7, -12345.678],
  'plain',
  42,
  null,
  { __proto__: 1, constructor: [] },
];

describe('a layout', () => {
  test.each(values.map((value) => JSON.stringify(value)))('%s is indented like JSON.stringify does', (text) => {
    expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  test('does not depend on the previous layout', () => {
    const value = values.slice(0, 4);
    expect(pretty(JSON.stringify(value, null, '\t\r\n '))).toBe(JSON.stringify(value, null, 2));
  });

  test.each(['12345678901234567890', '1.0', '1e400', '-0', '0.10', '1E+2', '0e0', '123.456e-789'])(
    'keeps the spelling of the number %s',
    (number) => {
      expect(pretty(`{"n":${number},"l":[${number}]}`)).toBe(`{\n  "n": ${number},\n  "l": [\n    ${number}\n  ]\n}`);
    },
  );

  test('replaces unnecessary escapes by their characters, so that they can be searched', () => {
    expect(pretty('"\\u00e9 \\/ \\ud83d\\ude00 \\u0041 \\u0022 \\u000a \\ud83d\\u0041"')).toBe(
      '"é / 😀 A \\" \\n \\ud83dA"',
    );
  });
});

test('indents random JSON like JSON.stringify does', () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const value = (depth: number): unknown => {
    const kind = random(depth > 5 ? 5 : 7);
    if (kind === 0) return random(2) === 0;
    if (kind === 1) return random(1_000_000) - 500_000;
    if (kind === 2) return random(1_000_000) / 997;
    if (kind === 3) return null;
    if (kind === 4) return String.fromCharCode(...Array.from({ length: random(20) }, () => random(65_536)));
    const count = random(6);
    if (kind === 5) return Array.from({ length: count }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}"\\${random(9)}`, value(depth + 1)]));
  };
  for (let round = 0; round < 300; round++) {
    const text = JSON.stringify(value(0));
    expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    expect(compactJson(Buffer.from(pretty(text))).toString('utf8')).toBe(JSON.stringify(JSON.parse(text)));
  }
});

test('indents 10 000 levels without gigabytes of whitespace', () => {
  const text = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`;
  const laidOut = pretty(text);
  expect(laidOut.replace(/\s/g, '')).toBe(text);
  expect(laidOut.length).toBeLessThan(2_000_000);
});

test('finds members where they are, and the last one of a repeated name', () => {
  const text = '{ "a" : 1 ,"b":{"a":[1,"}"]}, "c":"x,y}\\"","a":[3] , "e": true }';
  const found = [...memberSpans(Buffer.from(text))].map(([name, [start, end]]) => [name, text.slice(start, end)]);
  expect(Object.fromEntries(found)).toEqual({ a: '[3]', b: '{"a":[1,"}"]}', c: '"x,y}\\""', e: 'true' });
  expect([...memberSpans(Buffer.from('{}'))]).toEqual([]);
});
