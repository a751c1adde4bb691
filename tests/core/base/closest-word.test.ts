/** Suggestions for misspelled words. */
import { expect, test } from 'vitest';
import { closestMatch } from '../../../src-main/core/base/text-format.ts';

test.each([
  ['comand', 'command'],
  ['agrs', 'args'],
  ['Working-Dir', 'working_dir'],
  ['mcp_servers', 'mcpServers'],
  ['shoe', undefined],
  ['ur', undefined],
  ['', undefined],
])('suggests for %s: %s', (word, expected) => {
  expect(closestMatch(word, ['command', 'args', 'working_dir', 'mcpServers', 'url'])).toBe(expected);
});

test('returns undefined for a word of any length, at no cost', () => {
  const long = 'x'.repeat(1_000_000);
  expect(closestMatch(long, [long])).toBeUndefined();
  expect(closestMatch('xxxx', [long, 'xxxxx'])).toBe('xxxxx');
});
