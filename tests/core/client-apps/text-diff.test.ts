/** Diffs for the user show only changed lines with a few lines of context. */
import { expect, test } from 'vitest';
import { changedLines } from '../../../src-main/core/client-apps/text-diff.ts';

const told = (before: string, after: string): string[] =>
  changedLines(before, after).map(
    ({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', gap: '~' }[kind]}${text}`,
  );
const numbered = Array.from({ length: 40 }, (_, at) => `line ${at}`);

test('shows nothing for equal texts and every line of a new one', () => {
  expect(told('a\nb\n', 'a\r\nb')).toEqual([]);
  expect(told('', 'a\nb\n')).toEqual(['+a', '+b']);
  expect(told('a\nb\n', '')).toEqual(['-a', '-b']);
});

test('shows distant changes separately with the number of lines between', () => {
  const after = numbered.filter((_, at) => at !== 5).flatMap((line) => (line === 'line 30' ? [line, 'new'] : [line]));
  expect(told(numbered.join('\n'), after.join('\n'))).toEqual([
    ...[' line 2', ' line 3', ' line 4', '-line 5', ' line 6', ' line 7', ' line 8', '~19 unchanged lines'],
    ...[' line 28', ' line 29', ' line 30', '+new', ' line 31', ' line 32', ' line 33'],
  ]);
});

test('shortens a long line to what differs and masks secrets', () => {
  const long = (word: string): string => `{"a":"${'x'.repeat(5_000)}","${word}":1,"b":"${'y'.repeat(5_000)}"}`;
  for (const line of told(`{\n${long('one')}\n}`, `{\n${long('other')}\n}`)) expect(line.length).toBeLessThan(120);
  expect(told('', '"GITHUB_TOKEN": "ghp_0123456789abcdefghijklmnopqrstuvwxyz"').join('')).not.toContain('ghp_01234');
});

test('shows everything between the first and the last change of files too long to compare', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => `old ${at}`);
  const other = many.map((line) => line.replace('old', 'new'));
  expect(changedLines(many.join('\n'), other.join('\n'))).toHaveLength(4_000);
});
