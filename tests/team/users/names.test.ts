/** Which user names may coexist. */
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src-main/team/database/database.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { AccessTokenStore } from '../../../src-main/team/users/access-tokens.ts';
import { teamDatabase } from '../../support/team-database.ts';

async function open() {
  const database = new Database({ url: await teamDatabase(), most: 2 });
  onTestFinished(() => database.close());
  const sql = database.sql;
  return { people: new UserStore(sql), tokens: new AccessTokenStore(sql) };
}

test.each(['Ana', 'ANA', 'ａｎａ', 'ana '.trim().toUpperCase()])('rejects %s beside ana', async (name) => {
  const { people } = await open();
  await people.add({ name: 'ana' });
  await expect(people.add({ name })).rejects.toMatchObject({ code: 'config_conflict' });
});

test.each(['аna', 'admin ο', 'Ωmega'])('rejects the mixed alphabets of %s', async (name) => {
  const { people } = await open();
  await expect(people.add({ name })).rejects.toMatchObject({ code: 'bad_request' });
});

test.each(['Аня', 'Ελένη', 'José', '李雷'])('accepts %s', async (name) => {
  const { people } = await open();
  expect(await people.add({ name })).toMatchObject({ name });
});

test('limits tokens to 30 days for users and a year for service accounts', async () => {
  const { people, tokens } = await open();
  await people.add({ name: 'ana' });
  await people.add({ name: 'nightly', isService: true });
  const inDays = (user: string, days: number): Promise<unknown> =>
    tokens.create({ user, label: '', expiresAt: Date.now() + days * 86_400_000 });
  await inDays('ana', 30);
  await inDays('nightly', 366);
  for (const [user, days] of [
    ['ana', 31],
    ['nightly', 367],
    ['ana', 0],
  ] as const)
    await expect(inDays(user, days)).rejects.toMatchObject({ code: 'bad_request' });
});
