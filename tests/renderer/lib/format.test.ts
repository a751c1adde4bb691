/** Formats of numbers, sizes and times. */
import { formatBytes, formatDuration } from '../../../src-main/core/base/text-format.ts';
import { describe, expect, test } from 'vitest';
import {
  ago,
  bytes,
  clock,
  compact,
  count,
  duration,
  formatProblems,
  hour,
  list,
  moment,
} from '../../../src-renderer/lib/format.ts';

test('pluralizes a count and groups its thousands', () => {
  expect([count(0, 'tool'), count(1, 'tool'), count(1204, 'tool')]).toEqual(['0 tools', '1 tool', '1,204 tools']);
});

describe('shortens a big number to three digits', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [18_449, '18.4k'],
    [184_000, '184k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [1_840_000, '1.84M'],
    [2_000_000_000, '2G'],
    [-5_200, '−5.2k'],
  ];
  test.each(cases)('%d is %s', (number, text) => {
    expect(compact(number)).toBe(text);
  });
});

test('formats sizes in decimal units, in the shortest one', () => {
  expect([1, 999, 1_000, 18_400, 412_000_000, 1_200_000_000].map(bytes)).toEqual([
    '1 byte',
    '999 bytes',
    '1 kB',
    '18.4 kB',
    '412 MB',
    '1.2 GB',
  ]);
});

test('formats sizes alike in the page, the command line and texts for models', () => {
  const sizes = [0, 1, 999, 1_450, 9_994, 9_996, 99_949, 99_951, 414_800, 999_499, 999_501, 5.724e8, 1e12];
  expect(sizes.map(formatBytes)).toEqual(sizes.map(bytes));
});

test('formats durations alike in the page, the command line and texts for models', () => {
  const times = [0, 0.4, 999.4, 999.6, 1_000, 6_169, 9_949, 9_951, 59_499, 59_501, 60_000, 185_000, 3_720_000];
  expect(times.map(formatDuration)).toEqual(times.map(duration));
});

test('changes a duration’s unit before it needs four digits', () => {
  expect([0.4, 84, 999, 1_000, 9_960, 59_400, 60_000, 185_000, 3_720_000].map(duration)).toEqual([
    '0 ms',
    '84 ms',
    '999 ms',
    '1.0 s',
    '10 s',
    '59 s',
    '1 min',
    '3 min 5 s',
    '1 h 2 min',
  ]);
});

test('formats an age in its largest unit', () => {
  const now = 1_000 * 86_400_000;
  expect([0, 59_000, 180_000, 7_200_000, 86_400_000, 5 * 86_400_000].map((ms) => ago(now - ms, now))).toEqual([
    'just now',
    'just now',
    '3 min ago',
    '2 h ago',
    '1 day ago',
    '5 days ago',
  ]);
});

test('joins words with commas and "and"', () => {
  expect([list([]), list(['a']), list(['a', 'b']), list(['a', 'b', 'c'])]).toEqual(['', 'a', 'a and b', 'a, b and c']);
});

test('formats a number of problems with grouped thousands, or "no problems"', () => {
  expect([0, 1, 1204].map(formatProblems)).toEqual(['no problems', '1 problem', '1,204 problems']);
});

test('puts the date before a time of another day, and omits seconds in the short form', () => {
  const at = new Date(2026, 4, 3, 14, 5, 9).getTime();
  const dayLater = at + 86_400_000;
  expect([moment(at, at), moment(at, at, true)]).toEqual([clock(at), clock(at)]);
  expect(moment(at, dayLater).endsWith(`, ${clock(at)}`)).toBe(true);
  expect(moment(at, dayLater, true).endsWith(`, ${hour(at)}`)).toBe(true);
});

test('formats a time of day as the system does, in summer and in winter', () => {
  const words = { hour: 'numeric', minute: '2-digit', second: '2-digit' } as const;
  for (const at of [new Date(2026, 0, 3, 0, 5, 9), new Date(2026, 6, 3, 14, 5, 59), new Date(2026, 11, 31, 23, 59, 59)])
    expect(clock(at.getTime())).toBe(at.toLocaleTimeString([], words));
});

test('formats a time of day in the user’s current time zone', () => {
  const zone = process.env['TZ'];
  const minutesIn = (name: string): string | undefined => {
    process.env['TZ'] = name;
    return /\d+\D(\d+)/.exec(clock(Date.UTC(2026, 6, 3, 14, 5, 9)))?.[1];
  };
  try {
    expect(['Europe/London', 'Asia/Kolkata', 'Asia/Kathmandu'].map(minutesIn)).toEqual(['05', '35', '50']);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});
