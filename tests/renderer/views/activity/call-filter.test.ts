/** Filters of calls: in the address, in words, and as the core is asked. */
import { expect, test } from 'vitest';
import {
  everything,
  filterInWords,
  filterQuery,
  readFilter,
  toSearch,
} from '../../../../src-renderer/views/activity/call-filter.ts';

const filter = {
  text: ' issue ',
  only: 'blocked',
  person: 'ana',
  app: 'Cursor',
  server: 'github',
  since: undefined,
  until: undefined,
} as const;

test('a filter comes back from the address as it was', () => {
  expect(readFilter(new URLSearchParams(filterQuery(filter)))).toEqual(filter);
});

test('a span of time stands in the address, and is what the core is asked for', () => {
  const span = { ...everything, server: 'github', since: 1_700_000_000_000, until: 1_700_003_600_000 };
  expect(readFilter(new URLSearchParams(filterQuery(span)))).toEqual(span);
  expect(toSearch(span)).toEqual({ server: 'github', since: span.since, until: span.until });
  expect(filterInWords(span)).toMatch(/^to github · from .+ to .+$/);
  expect(readFilter(new URLSearchParams('since=-1&until=yesterday'))).toEqual(everything);
});

test('an address that names no known choice chooses nothing', () => {
  expect(readFilter(new URLSearchParams('only=constructor&x=1'))).toEqual(everything);
});

test('the core is asked for what is chosen and nothing else', () => {
  expect([toSearch(everything), toSearch(filter)]).toEqual([
    {},
    { text: 'issue', outcomes: ['blocked'], person: 'ana', app: 'Cursor', server: 'github' },
  ]);
});

test('a filter is said in words', () => {
  expect(filterInWords(filter)).toBe('Blocked · by ana · from Cursor · to github · matching “issue”');
});
