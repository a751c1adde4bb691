import { expect, test } from 'vitest';
import { type Credential, canAccess, principalOf, localUser } from '../../../src-main/core/security/principal.ts';

const ownLine: Credential = { kind: 'own line' };
const shared: Credential = { kind: 'shared token' };
const ownerOf = (credential: Credential, app?: string, session?: string): string =>
  principalOf(credential, app, session).owner;

test('identifies an app by its credential, the same on its own connection and by its own token', () => {
  const token: Credential = { kind: 'app token', app: 'cursor' };
  expect(ownerOf(token, 'zed', 's1')).toBe(ownerOf(ownLine, 'cursor', 's2'));
  expect(principalOf(shared, 'cursor', 's1')).toMatchObject({ app: undefined, session: 's1', isShared: false });
});

test('isolates sessions without an app, and marks those without both as shared', () => {
  expect(ownerOf(shared, 'cursor', 's1')).not.toBe(ownerOf(shared, 'cursor', 's2'));
  expect(ownerOf(ownLine, undefined, 's1')).toBe(ownerOf(shared, 'cursor', 's1'));
  expect(principalOf(shared, 'one', undefined)).toEqual(principalOf(shared, 'other', undefined));
  expect(principalOf(shared, 'one', undefined).isShared).toBe(true);
});

test('gives no made-up name the owner id of another principal', () => {
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

test('stores a name with an unpaired surrogate as well-formed text', () => {
  expect(ownerOf(ownLine, 'a\ud800', 's').isWellFormed()).toBe(true);
});

test('is frozen, and only the user can access data without an owner', () => {
  const app = principalOf(ownLine, 'cursor', 's');
  expect(Object.isFrozen(app)).toBe(true);
  expect([
    canAccess(app, ''),
    canAccess(app, localUser.owner),
    canAccess(localUser, ''),
    canAccess(localUser, app.owner),
  ]).toEqual([false, false, true, true]);
});
