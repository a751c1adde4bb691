/** What a mode would give, in words. */
import { expect, test } from 'vitest';
import { givenInWords } from '../../../../src-renderer/views/run/run-words.ts';

const row = {
  modes: ['proxy'],
  kind: 'whole',
  bytes: 1234,
  tokens: 310,
  estimated: false,
  text: '',
  cut: false,
} as const;

test('tokens that were counted are told as they are, estimated ones as about so many, and none of what goes to a program', () => {
  expect(givenInWords(row)).toBe('unchanged · 1.23 kB · 310 tokens');
  expect(givenInWords({ ...row, kind: 'kept', tokens: 1, estimated: true })).toContain('about 1 token');
  expect(givenInWords({ ...row, kind: 'program' })).toBe('returned to a program');
});
