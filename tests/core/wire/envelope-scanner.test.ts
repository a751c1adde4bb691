import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../../src-main/core/base/json.ts';
import { type Envelope, EnvelopeScanner } from '../../../src-main/core/wire/envelope-scanner.ts';
import { RandomJson, randomFrom } from './random-json.ts';

/** Scans a text in pieces whose sizes are chosen by `below`. */
function scan(text: string, below: (limit: number) => number = (limit) => limit): Envelope {
  const bytes = Buffer.from(text);
  const scanner = new EnvelopeScanner();
  for (let at = 0; at < bytes.length;) {
    const size = 1 + below(Math.min(40, bytes.length - at));
    scanner.push(bytes.subarray(at, at + size));
    at += size;
  }
  return scanner.finish();
}

const write = (value: unknown): string => JSON.stringify(value);

/** The result that the scanner should find, from JSON.parse. */
function expected(text: string): { keys: string[]; scalars: [string, string][]; resultScalars: [string, string][] } {
  const document = parseJson(text) as JsonObject;
  const scalarsOf = (value: unknown): [string, string][] =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, member]) =>
          isScalar(member) ? [[key, write(member)] as [string, string]] : [],
        )
      : [];
  return {
    keys: Object.keys(document).sort(),
    scalars: scalarsOf(document).sort(),
    resultScalars: scalarsOf(Object.hasOwn(document, 'result') ? document['result'] : undefined).sort(),
  };
}

/** Long texts may be omitted; what is found must be correct. */
const isShort = ([key, text]: [string, string]): boolean => key.length < 60 && text.length < 60;

function isScalar(value: unknown): boolean {
  return !isObject(value) && !Array.isArray(value);
}

function found(scalars: Readonly<JsonObject>): [string, string][] {
  return Object.entries(scalars).map(([key, value]) => [key, write(value)] as [string, string]);
}

describe('random documents in random pieces', () => {
  test.each([1, 2, 3, 4])('are read as JSON.parse reads them (seed %i)', (seed) => {
    const random = randomFrom(seed);
    const json = new RandomJson(random);
    for (let i = 0; i < 700; i++) {
      const text = json.object(4);
      const envelope = scan(text, (limit) => json.below(limit));
      const want = expected(text);
      const bytes = Buffer.from(text);
      const names = [...envelope.spans.keys()].sort();
      const parsed = parseJson(text) as JsonObject;
      // A key longer than the limit has no name; all others do.
      expect(names.filter((name) => name !== '')).toEqual(
        want.keys.filter((key) => Buffer.byteLength(write(key)) <= 512 && key !== '' && names.includes(key)),
      );
      expect(want.keys.filter((key) => key.length < 60 && !names.includes(key))).toEqual([]);
      for (const [name, { start, end }] of envelope.spans) {
        if (name !== '') expect(write(parseJson(bytes.subarray(start, end).toString()))).toBe(write(parsed[name]));
      }
      const scalars = found(envelope.scalars).filter(([key]) => key !== '');
      const resultScalars = found(envelope.resultScalars).filter(([key]) => key !== '');
      expect(scalars.filter(isShort).sort()).toEqual(want.scalars.filter(isShort).filter(([key]) => key !== ''));
      expect(resultScalars.filter(isShort).sort()).toEqual(
        want.resultScalars.filter(isShort).filter(([key]) => key !== ''),
      );
      expect(envelope.complete).toBe(true);
    }
  });

  test('cut short anywhere are not complete', () => {
    const json = new RandomJson(randomFrom(5));
    for (let i = 0; i < 300; i++) {
      const text = json.object(3);
      expect(scan(text.slice(0, json.below(text.length))).complete).toBe(false);
    }
  });
});

describe('reports as incomplete', () => {
  test.each([
    '',
    ' ',
    '[]',
    '[{"id":1,"result":{}}]',
    '"text"',
    '5',
    '{"id":1}{"id":2}',
    '{"id":1} x',
    '{"id":1}]',
    '{"id":1},',
    '{"id":1}:5',
    'log {"id":1}',
    '"a"{"id":1}',
    '}',
    '{"a":[}',
    '{"id":1,"result":{}',
  ])('%j', (text) => {
    expect(scan(text).complete).toBe(false);
  });
});

describe('uses the last of several members with the same name, like JSON.parse', () => {
  test.each([
    '{"id":1,"id":"two"}',
    '{"id":1,"id":{}}',
    '{"result":{"isError":true},"result":{}}',
    '{"result":{"isError":true},"result":5}',
    '{"result":{"isError":true,"isError":{}}}',
  ])('%s', (text) => {
    const envelope = scan(text);
    const want = expected(text);
    expect({ scalars: found(envelope.scalars).sort(), resultScalars: found(envelope.resultScalars).sort() }).toEqual({
      scalars: want.scalars,
      resultScalars: want.resultScalars,
    });
  });
});

test('omits long texts and finds what follows them', () => {
  const text = JSON.stringify({ id: 'x'.repeat(2000), result: { text: '"'.repeat(3000), isError: true }, method: 'm' });
  const { scalars, resultScalars } = scan(text, () => 7);
  expect([scalars, resultScalars]).toEqual([{ method: 'm' }, { isError: true }]);
});

test('reads a member called __proto__', () => {
  const { scalars } = scan('{"__proto__":5,"id":1}');
  expect([Object.entries(scalars), Object.getPrototypeOf(scalars) === Object.prototype]).toEqual([
    [
      ['__proto__', 5],
      ['id', 1],
    ],
    true,
  ]);
});
