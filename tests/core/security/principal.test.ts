import { expect, test } from 'vitest';
import { type Credential, canAccess, principalOf, localUser } from '../../../src-main/core/security/principal.ts';

const ownLine: Credential = { kind: 'own line' };
const shared: Credential = { kind: 'shared token' };
const ownerOf = (credential: Credential, app?: string, session?: string): string =>
  principalOf(credential, app, session).owner;

test('an app is who its door vouches for, and the same by its name on the own line and by its own token', () => {
  const token: Credential = { kind: 'app token', app: 'cursor' };
  expect(ownerOf(token, 'zed', 's1')).toBe(ownerOf(ownLine, 'cursor', 's2'));
  expect(principalOf(shared, 'cursor', 's1')).toMatchObject({ app: undefined, session: 's1', isShared: false });
});

test('without an app a session is one of its own, and without both all with the token are one, which is said', () => {
  expect(ownerOf(shared, 'cursor', 's1')).not.toBe(ownerOf(shared, 'cursor', 's2'));
  expect(ownerOf(ownLine, undefined, 's1')).toBe(ownerOf(shared, 'cursor', 's1'));
  expect(principalOf(shared, 'one', undefined)).toEqual(principalOf(shared, 'other', undefined));
  expect(principalOf(shared, 'one', undefined).isShared).toBe(true);
});

test('no name can be made up that is anybody else', () => {
  const made = ['anyone', 'session/s1', 'token/4f', '', '/', '../app/cursor', 'app/cursor'].map((name) =>
    ownerOf(ownLine, name, 's'),
  );
  const others = [
    ownerOf(shared),
    ownerOf(shared, undefined, 's1'),
    ownerOf({ kind: 'profile token', id: '4f' }),
    ownerOf(ownLine, 'cursor', 's'),
    localUser.owner,
    '',
  ];
  expect(new Set([...made, ...others]).size).toBe(made.length + others.length);
});

test('half a letter in a name is written down as it is compared', () => {
  expect(ownerOf(ownLine, 'a\ud800', 's').isWellFormed()).toBe(true);
});

test('it cannot be changed, and what has no owner is the person’s alone', () => {
  const app = principalOf(ownLine, 'cursor', 's');
  expect(Object.isFrozen(app)).toBe(true);
  expect([
    canAccess(app, ''),
    canAccess(app, localUser.owner),
    canAccess(localUser, ''),
    canAccess(localUser, app.owner),
  ]).toEqual([false, false, true, true]);
});
