/** Describes what a mode would return. */
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

test('shows counted tokens exactly, estimates as "about", and none for a program', () => {
  expect(givenInWords(row)).toBe('unchanged · 1.23 kB · 310 tokens');
  expect(givenInWords({ ...row, kind: 'kept', tokens: 1, estimated: true })).toContain('about 1 token');
  expect(givenInWords({ ...row, kind: 'program' })).toBe('returned to a program');
});
