import { expect, test } from 'vitest';
import { LogFilter } from '../../../src-main/core/sessions/caller-context.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The levels that pass. */
function passing(wanted: string | undefined): string[] {
  const filter = new LogFilter();
  filter.level = wanted;
  return levels.filter((level) => filter.passes('notifications/message', { level }));
}

test('what is at least as severe as wanted passes', () => {
  for (const [i, level] of levels.entries()) expect(passing(level)).toEqual(levels.slice(i));
});

test.each([undefined, 'verbose', ''])('with the level %j everything passes', (wanted) => {
  expect(passing(wanted)).toEqual(levels);
});

test.each([{ level: 'verbose' }, {}, { level: 5 }])('a message whose level nobody knows (%j) passes', (params) => {
  const filter = new LogFilter();
  filter.level = 'emergency';
  expect(filter.passes('notifications/message', params)).toBe(true);
});

test('what is no log message passes', () => {
  const filter = new LogFilter();
  filter.level = 'emergency';
  expect(filter.passes('notifications/vendor', { level: 'debug' })).toBe(true);
});
