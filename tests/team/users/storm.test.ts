/** Unauthenticated requests write nothing and invalidate nothing; a change affects only its user. */
import { expect, onTestFinished, test } from 'vitest';
import { ChangeFeed } from '../../../src-main/team/database/change-feed.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { FailedLoginLimiter } from '../../../src-main/team/users/failed-login-limiter.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { Authenticator } from '../../../src-main/team/users/authenticator.ts';
import { AccessTokenStore } from '../../../src-main/team/users/access-tokens.ts';
import { startReplica } from '../../support/start-replica.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';
import { enter, json, Page, send } from '../dashboard/page.ts';

const log = { warn: () => undefined, debug: () => undefined, info: () => undefined, error: () => undefined };

test('sign-outs, forged cookies and unknown tokens announce and write nothing', async () => {
  const one = await startReplica(await teamDatabase(), { servers: {} });
  onTestFinished(() => one[Symbol.asyncDispose]());
  const team = new TeamPeople(one);
  await team.people.add({ name: 'ana' });
  const page = await Page.open(one, await team.give('ana'));
  const sql = one.replica.database.sql;
  const written = async (): Promise<unknown> => {
    const versions = await one.replica.database.sql`SELECT topic, version FROM tooltray.changes WHERE topic = 'people'`;
    return [versions, await sql`SELECT hash FROM tooltray.page_sessions`];
  };
  const before = await written();
  const forged = `tooltray=12345.${'x'.repeat(43)}`;
  const cookies = [
    '',
    forged,
    'tooltray=',
    `tooltray=${'y'.repeat(43)}`,
    page.cookie.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
  ];
  const statuses = new Set<number>();
  for (let round = 0; round < 10; round++)
    for (const cookie of cookies)
      statuses.add((await send(one, 'POST', '/session/end', { ...json, cookie }, '{}')).status);
  for (let round = 0; round < 10; round++) await enter(one, `tt_${round}_${'z'.repeat(43)}`);
  expect([statuses, await written()]).toEqual([new Set([200]), before]);
  expect((await page.ask('accessTokens', {})).tokens).toHaveLength(1);
  await page.signOut();
  expect(await written()).not.toEqual(before);
});

test('a change invalidates the cached authentication of its user only', async () => {
  const database = new Database({ url: await teamDatabase() });
  const changes = new ChangeFeed(database.sql, log);
  await changes.start();
  const sql = database.sql;
  const [people, tokens] = [new UserStore(sql), new AccessTokenStore(sql)];
  const looked: string[] = [];
  const counting = new Proxy(tokens, {
    get: (target, name) => {
      if (name !== 'authenticate') return (target as unknown as Record<PropertyKey, unknown>)[name];
      return async (token: string) => {
        const found = await target.authenticate(token);
        looked.push(found?.name ?? 'nobody');
        return found;
      };
    },
  });
  const gate = new Authenticator({
    people,
    tokens: counting,
    changes,
    log: log as never,
    failures: new FailedLoginLimiter(),
  });
  onTestFinished(async () => {
    await gate.close();
    await changes.stop();
    await database.close();
  });
  const heard: unknown[] = [];
  changes.changed.on(({ topic, user }) => topic === 'people' && heard.push(user));
  const expiresAt = Date.now() + 3_600_000;
  const given = await Promise.all(
    ['ana', 'ben'].map(async (name) => {
      const { id } = await people.add({ name });
      return { id, token: (await tokens.create({ user: name, label: '', expiresAt })).token };
    }),
  );
  const [ana, ben] = given as [(typeof given)[0], (typeof given)[0]];
  await until(() => heard.length === 2);
  for (const { token } of given) await gate.authenticate(token, '127.0.0.1');
  expect(looked.splice(0)).toEqual(['ana', 'ben']);
  await people.change('ben', { groups: ['x'] });
  await until(() => heard.at(-1) === ben.id && heard.length === 3);
  for (const { token } of given) await gate.authenticate(token, '127.0.0.1');
  expect(looked.splice(0)).toEqual(['ben']);
  await people.grant('x', '*');
  await until(() => heard.length === 4);
  for (const { token } of given) await gate.authenticate(token, '127.0.0.1');
  expect([looked, ana.id === ben.id]).toEqual([['ana', 'ben'], false]);
});
