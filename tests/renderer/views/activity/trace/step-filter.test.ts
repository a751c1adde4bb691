/** Filters of steps: in the address, and as a query to the core. */
import { expect, test } from 'vitest';
import {
  readStepFilter,
  stepQuery,
  toStepSearch,
} from '../../../../../src-renderer/views/activity/trace/step-filter.ts';

test('queries the core for the filter in the address', () => {
  const query = { text: ' open ', only: 'spilled', user: 'ana', server: 'github', since: '5', until: '9' };
  const filter = readStepFilter(new URLSearchParams(query));
  expect(stepQuery(filter)).toEqual(query);
  expect(toStepSearch(filter, 's1')).toEqual({
    sessionId: 's1',
    text: 'open',
    spilled: true,
    user: 'ana',
    server: 'github',
    since: 5,
    until: 9,
  });
});

test('ignores invalid values', () => {
  const filter = readStepFilter(new URLSearchParams({ only: 'all', since: 'yesterday', until: '-1' }));
  expect([stepQuery(filter), toStepSearch(filter, '')]).toEqual([{}, {}]);
});
