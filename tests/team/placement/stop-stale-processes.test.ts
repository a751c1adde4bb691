/** Stops a user's processes with their user, or when a value that they were started with changes. */
import { expect, onTestFinished, test } from 'vitest';
import { secretVaultKey } from '../../../src-main/core/secrets/resolve-secrets.ts';
import { ChangeFeed } from '../../../src-main/team/database/change-feed.ts';
import { Database } from '../../../src-main/team/database/database.ts';
import { UserStore } from '../../../src-main/team/users/user-store.ts';
import { stopStaleProcesses } from '../../../src-main/team/placement/stop-stale-processes.ts';
import { TeamVaults } from '../../../src-main/team/secrets/team-vault.ts';
import { isAlive, say } from '../../core/servers/servers-harness.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';
import { as, newestPid, people } from './people.ts';

const log = { warn: () => undefined, debug: () => undefined, info: () => undefined, error: () => undefined };

test('stops the processes of a disabled user, and those with a changed value, and no others', async () => {
  const database = new Database({ url: await teamDatabase() });
  const changes = new ChangeFeed(database.sql, log);
  await changes.start();
  const sql = database.sql;
  const team = new UserStore(sql);
  const vaults = new TeamVaults({ sql, ring: [Buffer.alloc(32, 1)], changes });
  const { counter, harness, processes } = people({ readOwn: ({ user }, name) => vaults.forUser(user).read(name) });
  const stop = stopStaleProcesses(processes, { changes, people: team, vaults, log });
  onTestFinished(async () => {
    stop();
    vaults.close();
    await changes.stop();
    await database.close();
  });
  const [ann, bob] = [await team.add({ name: 'ann' }), await team.add({ name: 'bob' })].map(({ id }) => ({
    user: id,
  })) as [{ user: string }, { user: string }];
  await vaults.forUser(ann.user).write(secretVaultKey('TOKEN'), 'before');
  const [plain, given] = [
    harness.server(counter()),
    harness.server(counter({ name: 'given', env: { TOKEN: '${user:TOKEN}' } })),
  ];
  const pid = async (server: typeof plain, who: typeof ann): Promise<number> => {
    await say(server, 'count', {}, as(who));
    return newestPid(harness);
  };
  const [anns, annsGiven, bobs] = [await pid(plain, ann), await pid(given, ann), await pid(plain, bob)];
  // A change by another replica.
  const elsewhere = new TeamVaults({ sql, ring: [Buffer.alloc(32, 1)], changes });
  onTestFinished(() => elsewhere.close());
  await elsewhere.forUser(ann.user).write(secretVaultKey('OTHER'), 'x');
  await elsewhere.forUser(ann.user).write(secretVaultKey('TOKEN'), 'after');
  await until(() => !isAlive(annsGiven) && processes.counts.running === 2);
  expect([isAlive(anns), isAlive(bobs)]).toEqual([true, true]);
  expect(JSON.parse(await say(given, 'env', {}, as(ann)))).toMatchObject({ TOKEN: 'after' });
  await team.change('ann', { isSuspended: true });
  await until(() => !isAlive(anns) && processes.usersOf().join() === bob.user);
  expect(isAlive(bobs)).toBe(true);
});
