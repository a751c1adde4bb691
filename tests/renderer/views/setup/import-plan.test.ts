/** Which offered servers are imported, and under which name. */
import {
  chosen,
  type ImportWishes,
  isTouched,
  nameProblem,
  sealable,
  toTry,
} from '../../../../src-renderer/views/setup/import-plan.ts';
import { expect, test } from 'vitest';
import type { ImportableServer } from '../../../../src-main/core/client-apps/app-rows.ts';

const offer = (name: string, already?: string): ImportableServer => ({
  id: `id-${name}`,
  app: 'Cursor',
  apps: ['cursor'],
  name,
  endpoint: 'npx x',
  secrets: [],
  losses: [],
  sealable: [{ server: name, where: 'env KEY', name: 'KEY' }],
  already,
});
const wishes = (more: Partial<ImportWishes> = {}): ImportWishes => ({
  ticked: new Map(),
  names: new Map(),
  move: false,
  ...more,
});
const offers = [offer('github'), offer('linear'), offer('files', 'filesystem')];

test('selects every new server, and none that exists', () => {
  expect(chosen(offers, wishes()).map(({ name }) => name)).toEqual(['github', 'linear']);
});

test('an existing server can be selected only for a move', () => {
  const ticked = new Map([['id-files', true]]);
  expect(chosen(offers, wishes({ ticked }))).toHaveLength(2);
  expect(chosen(offers, wishes({ ticked, move: true }))).toHaveLength(3);
});

test('default choices are not an edit; a selection, a name and a move are', () => {
  const none = wishes({ ticked: new Map([['id-github', true]]), names: new Map([['id-github', 'github']]) });
  expect(isTouched(offers, none)).toBe(false);
  for (const one of [
    { ticked: new Map([['id-github', false]]) },
    { names: new Map([['id-linear', 'mine']]) },
    { move: true },
  ])
    expect(isTouched(offers, wishes(one)), JSON.stringify(Object.keys(one))).toBe(true);
});

test('tests selected new servers, not existing ones, even for a move', () => {
  const ticked = new Map([
    ['id-linear', false],
    ['id-files', true],
  ]);
  expect(toTry(offers, wishes({ ticked, move: true }))).toEqual(['id-github']);
});

test('passes a new name without surrounding spaces', () => {
  const names = new Map([['id-github', ' work ']]);
  expect(chosen(offers, wishes({ names }))[0]).toEqual({ id: 'id-github', name: 'work' });
});

test('reports an empty, taken or duplicate name before any request', () => {
  const problemOf = (name: string, here: readonly string[] = []): string =>
    nameProblem(offer('github'), { offers, wishes: wishes({ names: new Map([['id-github', name]]) }), here });
  expect(problemOf('  ')).toBe('Name is required.');
  expect(problemOf('work', ['work'])).toBe('A server named work already exists.');
  expect(problemOf('linear')).toBe('Duplicate name.');
  expect(problemOf('github', ['github'])).toBe('');
  expect(problemOf('hub')).toBe('');
});

test('lists sealable values of selected new servers under their new names', () => {
  const plan = wishes({ ticked: new Map([['id-linear', false]]), names: new Map([['id-github', 'work']]), move: true });
  expect(sealable(offers, plan)).toEqual(['env KEY of work']);
});
