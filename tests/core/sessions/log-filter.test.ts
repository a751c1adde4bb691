import { expect, test } from 'vitest';
import { LogFilter } from '../../../src-main/core/sessions/caller-context.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The levels that pass. */
function passing(wanted: string | undefined): string[] {
  const filter = new LogFilter();
  filter.level = wanted;
  return levels.filter((level) => filter.passes('notifications/message', { level }));
}

test('passes messages of at least the requested level', () => {
  for (const [i, level] of levels.entries()) expect(passing(level)).toEqual(levels.slice(i));
});

test.each([undefined, 'verbose', ''])('passes every message if the level is %j', (wanted) => {
  expect(passing(wanted)).toEqual(levels);
});

test.each([{ level: 'verbose' }, {}, { level: 5 }])('passes a message with an unknown level (%j)', (params) => {
  const filter = new LogFilter();
  filter.level = 'emergency';
  expect(filter.passes('notifications/message', params)).toBe(true);
});

test('passes notifications that are not log messages', () => {
  const filter = new LogFilter();
  filter.level = 'emergency';
  expect(filter.passes('notifications/vendor', { level: 'debug' })).toBe(true);
});
