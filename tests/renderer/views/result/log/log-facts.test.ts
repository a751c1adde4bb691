/** Levels and times of a log. */
import { expect, test } from 'vitest';
import { levelOf, logFacts, timeOf } from '../../../../../src-renderer/views/result/log/log-facts.ts';

test.each([
  ['2026-11-27T00:00:00Z ERROR worker failed', 'error'],
  ['[warn] low on space', 'warn'],
  ['12:00:01 INFO ready', 'info'],
  ['2026-11-27 DEBUG x', 'debug'],
  ['    at run (/srv/app/job.js:3:13)', undefined],
])('reads the level of %s as %s', (line, level) => {
  expect(levelOf(line)).toBe(level);
});

test('counts lines by level and over time', () => {
  const text = [
    '2026-11-27T00:00:00Z INFO a',
    '2026-11-27T00:00:00Z ERROR b',
    '    at c',
    '2026-11-27T01:00:00Z INFO d',
  ].join('\n');
  const { counts, from, to, bins } = logFacts(text);
  expect(counts).toEqual({ error: 1, warn: 0, info: 2, debug: 0 });
  expect(to - from).toBe(3_600_000);
  expect([bins[0], bins.at(-1)]).toEqual([
    { lines: 2, errors: 1, firstLine: 1 },
    { lines: 1, errors: 0, firstLine: 4 },
  ]);
  expect(timeOf('no time')).toBeUndefined();
});
