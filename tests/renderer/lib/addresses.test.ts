/** The views available to a user. */
import { expect, test } from 'vitest';
import { allowedView, views, viewsFor } from '../../../src-renderer/lib/addresses.ts';

test('gives a team user the views of their role, and the nearest one for any other', () => {
  const [admins, members] = [viewsFor({ role: 'admin' }), viewsFor({ role: 'member' })];
  expect(viewsFor(null)).toEqual(views);
  expect(admins.filter((view) => !members.includes(view))).toEqual(['people', 'audit']);
  expect([allowedView(members, 'people'), allowedView(members, 'setup'), allowedView(members, 'spills')]).toEqual([
    ...['overview', 'tokens', 'spills'],
  ]);
  expect([allowedView(views, 'setup'), allowedView(views, 'people')]).toEqual(['setup', 'overview']);
});
