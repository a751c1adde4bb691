/** Which offered servers come, and under what name. */
import {
  chosen,
  type ImportWishes,
  isTouched,
  nameProblem,
  sealable,
  toTry,
} from '../../../../src-renderer/views/setup/import-plan.ts';
import { expect, test } from 'vitest';
import type { OfferedServer } from '../../../../src-main/core/client-apps/app-rows.ts';

const offer = (name: string, already?: string): OfferedServer => ({
  id: `id-${name}`,
  app: 'Cursor',
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

test('everything new is ticked, what is here already is not', () => {
  expect(chosen(offers, wishes()).map(({ name }) => name)).toEqual(['github', 'linear']);
});

test('what is here already can be ticked only to be moved', () => {
  const ticked = new Map([['id-files', true]]);
  expect(chosen(offers, wishes({ ticked }))).toHaveLength(2);
  expect(chosen(offers, wishes({ ticked, move: true }))).toHaveLength(3);
});

test('what is as offered is no edit; a tick, a name and a move are', () => {
  const none = wishes({ ticked: new Map([['id-github', true]]), names: new Map([['id-github', 'github']]) });
  expect(isTouched(offers, none)).toBe(false);
  for (const one of [
    { ticked: new Map([['id-github', false]]) },
    { names: new Map([['id-linear', 'mine']]) },
    { move: true },
  ])
    expect(isTouched(offers, wishes(one)), JSON.stringify(Object.keys(one))).toBe(true);
});

test('what is ticked is worth a trial, what is here already is not, even where it is to be moved', () => {
  const ticked = new Map([
    ['id-linear', false],
    ['id-files', true],
  ]);
  expect(toTry(offers, wishes({ ticked, move: true }))).toEqual(['id-github']);
});

test('a new name goes along, without the spaces around it', () => {
  const names = new Map([['id-github', ' work ']]);
  expect(chosen(offers, wishes({ names }))[0]).toEqual({ id: 'id-github', name: 'work' });
});

test('a name that is empty, taken or given twice is told before anything is asked', () => {
  const problemOf = (name: string, here: readonly string[] = []): string =>
    nameProblem(offer('github'), { offers, wishes: wishes({ names: new Map([['id-github', name]]) }), here });
  expect(problemOf('  ')).toBe('Name is required.');
  expect(problemOf('work', ['work'])).toBe('A server named work already exists.');
  expect(problemOf('linear')).toBe('Duplicate name.');
  expect(problemOf('github', ['github'])).toBe('');
  expect(problemOf('hub')).toBe('');
});

test('what could be sealed is told of what is new and ticked, under the name it will have', () => {
  const plan = wishes({ ticked: new Map([['id-linear', false]]), names: new Map([['id-github', 'work']]), move: true });
  expect(sealable(offers, plan)).toEqual(['env KEY of work']);
});
