/** Authentication during an outage of the database: known users continue for a minute, others are told. */
import { expect, onTestFinished, test } from 'vitest';
import { ChangeFeed } from '../../../src-main/team/database/change-feed.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { AccessTokenStore } from '../../../src-main/team/users/access-tokens.ts';
import { Authenticator } from '../../../src-main/team/users/authenticator.ts';
import { FailedLoginLimiter } from '../../../src-main/team/users/failed-login-limiter.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { tcpDoor } from '../../support/tcp-door.ts';
import { teamDatabase } from '../../support/team-database.ts';

const log = { warn: () => undefined, debug: () => undefined, info: () => undefined, error: () => undefined };
const address = '192.0.2.1';

test('accepts known users for a minute while the database is away, and tells others', async () => {
  const url = new URL(await teamDatabase());
  const door = await tcpDoor(url.hostname, Number(url.port));
  url.port = String(door.port);
  const database = new Database({ url: url.href });
  const changes = new ChangeFeed(database.sql, log);
  await changes.start();
  const [people, tokens] = [new UserStore(database.sql), new AccessTokenStore(database.sql)];
  let now = Date.now();
  const gate = new Authenticator({
    people,
    tokens,
    changes,
    log: log as never,
    failures: new FailedLoginLimiter(),
    now: () => now,
  });
  onTestFinished(async () => {
    await gate.close();
    await changes.stop();
    await database.close();
  });
  const expiresAt = Date.now() + 3_600_000;
  const give = async (name: string): Promise<string> => {
    await people.add({ name });
    return (await tokens.create({ user: name, label: '', expiresAt })).token;
  };
  const [ana, ben, kim] = [await give('ana'), await give('ben'), await give('kim')];
  const holder = (token: string): Promise<string> =>
    gate.authenticate(token, address).then(
      (judged) => ('user' in judged ? 'user' : judged.why),
      (error: { code: string }) => error.code,
    );
  expect([await holder(ana), await holder(ben)]).toEqual(['user', 'user']);
  // Revoked just before the outage: known here once the notification arrives.
  await people.change('ben', { isSuspended: true });
  await expect.poll(() => holder(ben)).toBe('unknown');
  await door.shut();
  now += 45_000;
  expect([await holder(ana), await holder(ben), await holder(kim)]).toEqual([
    'user',
    'store_unreachable',
    'store_unreachable',
  ]);
  now += 20_000;
  expect(await holder(ana)).toBe('store_unreachable');
  await door.reopen();
  await expect.poll(() => holder(ana)).toBe('user');
  // A database that accepts connections and does not respond delays a known user by a second.
  now += 45_000;
  door.hold();
  expect(await holder(ana)).toBe('user');
  await door.reopen();
});
