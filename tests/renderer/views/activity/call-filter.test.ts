/** Filters of calls: in the address, in words, and as a query to the core. */
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
  user: 'ana',
  app: 'Cursor',
  server: 'github',
  since: undefined,
  until: undefined,
} as const;

test('reads a filter back from the address unchanged', () => {
  expect(readFilter(new URLSearchParams(filterQuery(filter)))).toEqual(filter);
});

test('keeps a time range in the address, and queries the core for it', () => {
  const span = { ...everything, server: 'github', since: 1_700_000_000_000, until: 1_700_003_600_000 };
  expect(readFilter(new URLSearchParams(filterQuery(span)))).toEqual(span);
  expect(toSearch(span)).toEqual({ server: 'github', since: span.since, until: span.until });
  expect(filterInWords(span)).toMatch(/^to github · from .+ to .+$/);
  expect(readFilter(new URLSearchParams('since=-1&until=yesterday'))).toEqual(everything);
});

test('ignores unknown choices in the address', () => {
  expect(readFilter(new URLSearchParams('only=constructor&x=1'))).toEqual(everything);
});

test('queries the core for the chosen filters only', () => {
  expect([toSearch(everything), toSearch(filter)]).toEqual([
    {},
    { text: 'issue', outcomes: ['blocked'], user: 'ana', app: 'Cursor', server: 'github' },
  ]);
});

test('describes a filter in words', () => {
  expect(filterInWords(filter)).toBe('Blocked · by ana · from Cursor · to github · matching “issue”');
});
