/** JSON laid out while it passes: the same value, the same numbers, a line for each element, however the pieces fall. */
import { describe, expect, test } from 'vitest';
import { Malformed } from '../../../../src-main/core/spills/keep/json-bytes.ts';
import { DraftPlace, PartDraft } from '../../../../src-main/core/spills/keep/part-draft.ts';
import { PrettyJson } from '../../../../src-main/core/spills/keep/pretty-json.ts';

/** The text in another layout, read in pieces of the given length. Throws Malformed, also for something behind the value. */
function pretty(text: string, pieceBytes: number): string {
  const draft = new PartDraft(new DraftPlace('unused', Infinity, Infinity));
  const json = new PrettyJson(draft);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    const stop = json.push(piece, 0, piece.length);
    if (piece.subarray(stop).toString().trim() !== '') throw new Malformed('something behind the value');
  }
  // A number ends with what follows it.
  json.push(Buffer.from('\n'), 0, 1);
  if (!json.done) throw new Malformed('ends too early');
  draft.end();
  return draft.content.toString('utf8');
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

describe.each([1, 2, 3, 7, 64 * 1024])('in pieces of %d bytes', (pieceBytes) => {
  test.each(values.map((value) => JSON.stringify(value)))('%s is laid out as JSON.stringify does it', (text) => {
    expect(pretty(text, pieceBytes)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  test('the layout that it has already makes no difference', () => {
    const value = values.slice(0, 4);
    expect(pretty(JSON.stringify(value, null, '\t\r\n '), pieceBytes)).toBe(JSON.stringify(value, null, 2));
  });

  test.each(['12345678901234567890', '1.0', '1e400', '-0', '0.10', '1E+2', '0e0', '123.456e-789'])(
    'the number %s keeps its spelling',
    (number) => {
      expect(pretty(`{"n":${number},"l":[${number}]}`, pieceBytes)).toBe(
        `{\n  "n": ${number},\n  "l": [\n    ${number}\n  ]\n}`,
      );
    },
  );

  test('escapes that are not needed become the character, so that it can be searched for', () => {
    expect(pretty('"\\u00e9 \\/ \\ud83d\\ude00 \\u0041 \\u0022 \\u000a \\ud83d\\u0041"', pieceBytes)).toBe(
      '"é / 😀 A \\" \\n \\ud83dA"',
    );
  });

  test.each([
    ...['', ' ', '{', '[', '"', '[1', '{"a"', '{"a":', '{"a":1', '[1,', '"\\', '"\\u00'],
    ...['[1,]', '{"a":1,}', '[,1]', '{,}', '{"a",}', '{"a":}', '{a:1}', "{'a':1}", '[1 2]', '{"a" 1}', '[}', '{]'],
    ...['01', '1.', '.5', '-', '+1', '1e', '1e+', '0x1', '--1', '1.2.3', 'NaN', 'Infinity', '1_000'],
    ...['tru', 'truE', 't rue', 'nul', 'nulll', 'True', 'undefined', '[tr ue]'],
    ...['"\n"', '"\t"', '"\\x"', '"\\u12g4"', '"\\u 123"', '1 2', '{} {}', '[]]', '{"a":1}}', '/**/1', '"a" "b"'],
  ])('%j is refused', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(() => pretty(text, pieceBytes)).toThrow(Malformed);
  });
});

test('random JSON comes out as JSON.stringify lays it out', () => {
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
    expect(pretty(text, 1 + random(40))).toBe(JSON.stringify(JSON.parse(text), null, 2));
  }
});

test('10 000 levels are laid out, and do not become gigabytes of indentation', () => {
  const text = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`;
  const laidOut = pretty(text, 1000);
  expect(laidOut.replace(/\s/g, '')).toBe(text);
  expect(laidOut.length).toBeLessThan(300_000);
});
