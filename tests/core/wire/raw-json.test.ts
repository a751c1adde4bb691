import { describe, expect, test } from 'vitest';
import { RandomJson, randomFrom } from './random-json.ts';
import { scalarOf, RawJson, toObject } from '../../../src-main/core/wire/raw-json.ts';
import { serializeMessage } from '../../../src-main/core/wire/message.ts';

/** A text in pieces that may end in the middle of a character. */
function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

test('keeps valid UTF-8 bytes for any chunk size', () => {
  const json = new RandomJson(randomFrom(11));
  for (let i = 0; i < 100; i++) {
    const bytes = Buffer.from(json.object(3));
    for (const size of [1, 2, 3, 5, 1000]) {
      const chunks = pieces(bytes, size);
      expect(new RawJson(chunks).chunks).toBe(chunks);
    }
  }
});

test.each([
  ['a byte that is never in UTF-8', [0x22, 0xff, 0x22]],
  ['a character without its end', [0x22, 0xe2, 0x82, 0x22]],
  ['an end without its character', [0x22, 0x82, 0x22]],
  ['a character that ends with the text', [0x22, 0xf0, 0x9f, 0x9a]],
  ['a longer form than needed', [0x22, 0xc0, 0xaf, 0x22]],
  ['half of a pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
])('replaces bytes with %s for any chunk size', (_what, bytes) => {
  const wrong = Buffer.from(bytes);
  for (const size of [1, 2, 3, 10]) {
    const raw = new RawJson(pieces(wrong, size));
    expect(raw.text()).toBe(wrong.toString('utf8'));
    expect(Buffer.concat(raw.chunks)).toEqual(Buffer.from(wrong.toString('utf8')));
  }
});

describe('prepended members', () => {
  test('are added to an object with members', () => {
    const raw = new RawJson([Buffer.from('{"b":1.0}')], { b: 1 }).withMembers({ resultType: 'complete', n: null });
    expect(raw.text()).toBe('{"resultType":"complete","n":null,"b":1.0}');
    expect([scalarOf(raw, 'resultType'), scalarOf(raw, 'b'), scalarOf(raw, 'c')]).toEqual(['complete', 1, undefined]);
  });

  test('are added to an empty object with any whitespace', () => {
    for (const empty of ['{}', '{ }', '{\n\t}']) {
      expect(new RawJson(pieces(Buffer.from(empty), 1)).withMembers({ a: 1 }).parse()).toEqual({ a: 1 });
    }
  });

  test('do not replace existing members', () => {
    const raw = new RawJson([Buffer.from('{"ttlMs":5}')], { ttlMs: 5 }).withMembers({ ttlMs: 0 });
    expect([raw.parse(), scalarOf(raw, 'ttlMs')]).toEqual([{ ttlMs: 5 }, 5]);
  });
});

test('converts a raw result to an object with every digit', () => {
  const raw = new RawJson([Buffer.from('{"big":12345678901234567890}')]);
  expect(JSON.stringify(toObject(raw))).toBe('{"big":12345678901234567890}');
  expect(JSON.stringify({ result: raw })).toBe('{"result":{"big":12345678901234567890}}');
  expect(serializeMessage({ jsonrpc: '2.0', id: 0, result: raw }).join('')).toBe(
    '{"jsonrpc":"2.0","id":0,"result":{"big":12345678901234567890}}\n',
  );
});
