/** Which views there are for whoever looks. */
import { expect, test } from 'vitest';
import { viewAmong, views, viewsFor } from '../../../src-renderer/lib/addresses.ts';

test('somebody of a team has the views of their role, and what is nearest to any other', () => {
  const [admins, members] = [viewsFor({ role: 'admin' }), viewsFor({ role: 'member' })];
  expect(viewsFor(null)).toEqual(views);
  expect(admins.filter((view) => !members.includes(view))).toEqual(['people', 'audit']);
  expect([viewAmong(members, 'people'), viewAmong(members, 'setup'), viewAmong(members, 'spills')]).toEqual([
    ...['overview', 'tokens', 'spills'],
  ]);
  expect([viewAmong(views, 'setup'), viewAmong(views, 'people')]).toEqual(['setup', 'overview']);
});
