import { describe, expect, test } from 'vitest';
import { isObject, parseJson } from '../../../src-main/core/base/json.ts';

const roundTrip = (text: string): string => JSON.stringify(parseJson(text));

describe('numbers keep their spelling', () => {
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

  test.each(spellings)('%s, wherever a number may stand', (number) => {
    const texts = [`${number}`, `[${number}]`, `[1,${number}]`, `{"a":${number}}`, `{"jsonrpc":"2.0","id":${number}}`];
    expect(texts.map(roundTrip)).toEqual(texts);
    expect(roundTrip(`{"a": ${number},\n "b":\t${number} }`)).toBe(`{"a":${number},"b":${number}}`);
  });

  test('plain numbers are numbers, and texts that look like numbers stay texts', () => {
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

  test('a kept number is no object', () => {
    expect(isObject((parseJson('{"a":1.0}') as { a: unknown }).a)).toBe(false);
  });
});
