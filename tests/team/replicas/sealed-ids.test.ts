import { describe, expect, test } from 'vitest';
import { idsIn, SealedIds } from '../../../src-main/team/replicas/sealed-ids.ts';
import { TeamKeys } from '../../../src-main/team/records/team-keys.ts';
import { sealsFor } from '../../../src-main/team/replicas/seals.ts';

const [first, second] = [[1], [2]].map((bytes) => bytes.map((byte) => Buffer.alloc(32, byte))) as [Buffer[], Buffer[]];
const me = { tenant: 'main', user: 'ada' };
const made = (keys: readonly Buffer[], replica = 'a_000000', live: readonly string[] = []): SealedIds =>
  new SealedIds({ replica, seals: sealsFor(new TeamKeys(keys), 'ids'), isLive: (id) => live.includes(id) });

test('an id says its replica to every replica of the team, and is in no two spellings', () => {
  const id = made(first).make('call', me);
  expect(id).toMatch(/^a_000000\.[\w-]{22}\.[\w-]{22}$/);
  expect(made(first, 'b_000000').ownerOf('call', id, me)).toBe('a_000000');
  // The last letter of 16 bytes has bits to spare.
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
    (letter) => id.slice(0, -1) + letter,
  );
  expect(spellings.filter((one) => made(first).ownerOf('call', one, me) !== undefined)).toEqual([id]);
});

describe('an id is nobody’s', () => {
  const ids = made(first);
  const id = ids.make('call', me);
  const swapped = (at: number): string => `${id.slice(0, at)}${id[at] === 'x' ? 'y' : 'x'}${id.slice(at + 1)}`;
  test.each([
    ['of another kind', () => ids.ownerOf('session', id, me)],
    ['for another user', () => ids.ownerOf('call', id, { ...me, user: 'eve' })],
    ['for another tenant', () => ids.ownerOf('call', id, { ...me, tenant: 'other' })],
    ['where parts of the names move over', () => ids.ownerOf('call', id, { tenant: 'maina', user: 'da' })],
    ['with another replica in front', () => ids.ownerOf('call', `b${id.slice(1)}`, me)],
    ['with a letter changed in its middle', () => ids.ownerOf('call', swapped(12), me)],
    ['with a letter changed in its seal', () => ids.ownerOf('call', swapped(id.length - 5), me)],
    ['that was made up', () => ids.ownerOf('call', `a_000000.${'A'.repeat(22)}.${'A'.repeat(22)}`, me)],
    ['under another key', () => made(second).ownerOf('call', id, me)],
    ['with more behind it', () => ids.ownerOf('call', `${id}x`, me)],
  ])('%s', (_how, owner) => expect(owner()).toBeUndefined());
});

test('a new key in front seals; what the old one sealed opens until it is taken away', () => {
  const old = made(first).make('session', me);
  const both = made([...second, ...first]);
  const fresh = both.make('session', me);
  expect([both.ownerOf('session', old, me), made(second).ownerOf('session', fresh, me)]).toEqual([
    'a_000000',
    'a_000000',
  ]);
  expect([made(second).ownerOf('session', old, me), made(first).ownerOf('session', fresh, me)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('what became of an id is told to whom it was given, and to nobody else', () => {
  const id = made(first).make('call', me);
  expect(made(first, 'b_000000').fate('call', id, me)).toBe('gone');
  expect(made(first, 'b_000000', ['a_000000']).fate('call', id, me)).toBe('elsewhere');
  expect(made(first).fate('call', id, me)).toBeUndefined();
  expect(made(first, 'b_000000').fate('call', id, { ...me, user: 'eve' })).toBeUndefined();
});

test('ids are found in programs', () => {
  const id = made(first).make('call', me);
  expect(idsIn(`await_result({handle: "${id}"}) // a.b.c, ${id}x`)).toEqual([id]);
});
