/** Users provisioned by the issuer, in a real database. */
import { expect, test } from 'vitest';
import { identityFromClaims } from '../../../src-main/team/oidc/read-claims.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { OidcUsers } from '../../../src-main/team/users/oidc-users.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { teamDatabase } from '../../support/team-database.ts';

const issuer = 'https://idp.example.com';
const rules = { groupsClaim: 'groups', adminGroup: 'admins' };

function said(claims: object, of = rules) {
  return identityFromClaims({ sub: 's-1', exp: 0, iat: 1_000, preferred_username: 'ana', ...claims }, issuer, of);
}

async function open({ takesNew = true } = {}) {
  const database = new Database({ url: await teamDatabase(), most: 4, name: 'test' });
  const sql = database.sql;
  return {
    people: new UserStore(sql),
    issued: new OidcUsers(sql, { takesNew }),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

test('creates a member once on the first sign-in, also by concurrent replicas', async () => {
  await using on = await open();
  const claims = said({ email: 'ana@example.org', email_verified: true, groups: ['b', 'a'] });
  const all = await Promise.all([1, 2, 3, 4].map(() => on.issued.provision(claims)));
  expect(all.map((one) => one?.how).sort()).toEqual(['known', 'known', 'known', 'new']);
  expect(new Set(all.map((one) => one?.user.id)).size).toBe(1);
  expect(all[0]?.user).toMatchObject({
    name: 'ana',
    email: 'ana@example.org',
    role: 'member',
    groups: ['a', 'b'],
    isService: false,
    isSuspended: false,
  });
});

test('recognizes an added user by issuer and subject, never by email address', async () => {
  await using on = await open({ takesNew: false });
  const identity = said({ email: 'ana@example.org', email_verified: true }, { ...rules, adminGroup: undefined! });
  await on.people.add({ name: 'Other', email: 'ana@example.org' });
  expect(await on.issued.provision(identity)).toBeUndefined();
  const { issuer, subject } = identity;
  const ana = await on.people.add({ name: 'Ana', role: 'admin', groups: ['old'], identity: { issuer, subject } });
  expect(await on.issued.provision(identity)).toEqual({ how: 'known', user: ana });
  expect(await on.issued.provision(said({ sub: 's-2' }))).toBeUndefined();
});

test('gives a new user another name if theirs is taken', async () => {
  await using on = await open();
  await on.people.add({ name: 'ana', email: 'ana@example.org' });
  const names: (string | undefined)[] = [];
  for (const sub of ['1', '2', '3', '2'])
    names.push((await on.issued.provision(said({ sub, name: 'Ana <B>', email: 'ana@example.org' })))?.user.name);
  expect(names).toEqual(['ana@example.org', 'Ana B', '3', 'Ana B']);
  const odd = said({ sub: '\u{202e}<script>', preferred_username: 'ana', name: '  ', email: 'ana@example.org' });
  expect((await on.issued.provision(odd))?.user.name).toBe('script');
});

test('updates groups and role from the issuer’s newest claims, and keeps them where a claim is absent', async () => {
  await using on = await open();
  const seen = async (claims: object): Promise<unknown> => {
    const { groups, role } = (await on.issued.provision(said(claims)))?.user ?? {};
    return [groups, role];
  };
  expect(await seen({ groups: ['a'], iat: 10 })).toEqual([['a'], 'member']);
  expect(await seen({ groups: ['admins', 'b'], iat: 30 })).toEqual([['admins', 'b'], 'admin']);
  // Another app uses an older token.
  expect(await seen({ groups: ['a'], iat: 20 })).toEqual([['admins', 'b'], 'admin']);
  expect(await seen({ iat: 40 })).toEqual([['admins', 'b'], 'admin']);
  // Groups from the command line are not changed by the issuer.
  await on.people.change('ana', { groups: ['given'] });
  expect(await seen({ groups: ['b'], iat: 45 })).toEqual([['b', 'given'], 'member']);
  expect(await seen({ groups: [], iat: 50 })).toEqual([['given'], 'member']);
});

test('reads groups by claim name or path, and ignores invalid values', () => {
  const groups = (claims: object, groupsClaim: string) => said(claims, { ...rules, groupsClaim }).groups;
  expect(groups({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toEqual(['a']);
  expect(groups({ 'https://example.com/groups': ['a', 'a', 1] }, 'https://example.com/groups')).toEqual(['a']);
  expect(groups({ groups: 'a' }, 'groups')).toEqual(['a']);
  for (const bad of [undefined, null, 1, { a: 1 }]) expect(groups({ groups: bad }, 'groups')).toBeUndefined();
  expect(groups({}, '__proto__')).toBeUndefined();
});

test('returns a disabled user as disabled', async () => {
  await using on = await open();
  const { user } = (await on.issued.provision(said({}))) ?? {};
  await on.people.change(user?.name ?? '', { isSuspended: true });
  expect((await on.issued.provision(said({})))?.user.isSuspended).toBe(true);
});
