/**
 * Quotas over three concurrent replicas: never more than allowed, no less if more is requested, by the database's
 * clock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Sql } from 'postgres';
import { Database } from '../../../src-main/team/database/database.ts';
import { openQuotas, type OpenQuotas } from '../../../src-main/team/quotas/open-quotas.ts';
import { bearer } from '../../support/callers.ts';
import { HttpClient } from '../../support/http-client.ts';
import { ModernClient } from '../../support/modern-client.ts';
import { fixture } from '../../support/start-core.ts';
import { startReplica } from '../../support/start-replica.ts';
import { TeamPeople } from '../../support/team-callers.ts';
import { teamDatabase } from '../../support/team-database.ts';

const log = { warn: () => undefined };
const tool = { id: 'github:search', name: 'search', server: 'github' };

interface Wish {
  readonly groupBy?: readonly string[];
  readonly calls?: number;
  readonly window?: string;
  readonly maxConcurrent?: number;
  readonly bytes?: number;
}

// Daily counts restart at midnight UTC, which must not happen during a test.
const dayMs = 86_400_000;
const enoughMs = 45_000;
beforeEach(async () => {
  const left = dayMs - (Date.now() % dayMs);
  if (left < enoughMs) await sleep(left + 1000);
});

/** Three replicas' quotas on one database. */
async function three(): Promise<{ readonly sql: Sql; readonly all: readonly OpenQuotas[] }> {
  const url = await teamDatabase();
  const databases = [1, 2, 3].map(() => new Database({ url, most: 3 }));
  const all = databases.map((one) => openQuotas(one.sql, log));
  onTestFinished(async () => {
    await Promise.all(all.map((one) => one.close()));
    await Promise.all(databases.map((one) => one.close()));
  });
  const [first] = databases;
  if (first === undefined) throw new Error('none');
  return { sql: first.sql, all };
}

function admit(quotas: OpenQuotas, wish: Wish, user = 'ana'): ReturnType<OpenQuotas['quotas']['admit']> {
  const quota = { groupBy: ['user'], name: 'calls', id: 'calls', replaces: false, ...wish };
  const principal = { user, owner: `main/${user}/token/1` };
  return quotas.quotas.admit(tool as never, { principal, quotas: [quota] } as never);
}

test.each([7, 100])('lets exactly %i calls a day through three replicas, at any concurrency', async (limit) => {
  const { all } = await three();
  let ran = 0;
  // Eight callers at each replica, each until it is refused.
  const round = async (): Promise<number> => {
    const caller = async (quotas: OpenQuotas): Promise<void> => {
      const isLet = await admit(quotas, { calls: limit, window: 'day' }).then(
        () => true,
        () => false,
      );
      if (!isLet) return;
      ran++;
      await caller(quotas);
    };
    await Promise.all(all.flatMap((one) => Array.from({ length: 8 }, () => caller(one))));
    return ran;
  };
  expect([await round(), await round()]).toEqual([limit, limit]);
  // Another user has their own count, and a refusal names the quota and when it resets.
  const [one] = all;
  if (one === undefined) throw new Error('none');
  await expect(admit(one, { calls: limit, window: 'day' }, 'ben')).resolves.toBeDefined();
  await expect(admit(one, { calls: limit, window: 'day' })).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining(`The quota "calls" is exhausted: ${limit} calls a day, for each user.`) as string,
    fix: expect.stringMatching(/^It resets in \d+ (hour|minute|second)s?;/) as string,
  });
});

test('counts by the database’s clock despite clock skew, and no call that did not run', async () => {
  const { sql, all } = await three();
  const [one, two, three_] = all;
  if (one === undefined || two === undefined || three_ === undefined) throw new Error('none');
  for (const [at, quotas] of [
    [-30_000, one],
    [30_000, two],
  ] as const) {
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + at);
    await admit(quotas, { calls: 40, window: 'day' });
    now.mockRestore();
  }
  const used = async (): Promise<unknown> =>
    (await sql`SELECT used::int, count(*) OVER ()::int AS rows FROM tooltray.quota_windows`)[0];
  expect(await used()).toEqual({ used: 2, rows: 1 });
  // A call that did not run does not count.
  (await admit(three_, { calls: 40, window: 'day' })).giveBack();
  await expect.poll(used).toEqual({ used: 2, rows: 1 });
  // The previous window does not count.
  await sql`UPDATE tooltray.quota_windows SET starts = starts - 86400000, used = 40`;
  await expect(admit(three_, { calls: 40, window: 'day' })).resolves.toBeDefined();
});

test('counts the bytes of a result once the call has ended, for every replica', async () => {
  const { all } = await three();
  const [one, two] = all;
  if (one === undefined || two === undefined) throw new Error('none');
  const wish = { bytes: 60, window: 'day' };
  const call = await admit(one, wish);
  await expect(admit(two, wish)).resolves.toBeDefined();
  await call.ended(60);
  for (const quotas of [one, two]) await expect(admit(quotas, wish)).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(admit(two, wish, 'ben')).resolves.toBeDefined();
});

test('limits concurrent calls over all replicas; ended calls free a slot, and a killed replica’s expire', async () => {
  const { sql, all } = await three();
  const wish = { maxConcurrent: 3 };
  const tried = await Promise.allSettled(all.flatMap((one) => Array.from({ length: 8 }, () => admit(one, wish))));
  const let_ = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(let_).toHaveLength(3);
  const [one] = all;
  if (one === undefined) throw new Error('none');
  await expect(admit(one, wish)).rejects.toThrow('allows 3 concurrent calls');
  await let_[0]?.ended(0);
  await expect(admit(one, wish)).resolves.toBeDefined();
  await expect(admit(one, wish)).rejects.toMatchObject({ code: 'not_allowed' });
  await sql`UPDATE tooltray.quota_running SET until = now() - interval '1 s'`;
  await expect(admit(one, wish)).resolves.toBeDefined();
});

test('refuses a call over quota without running it, records it, gives the reason, and serves others', async () => {
  const config = {
    servers: { echo: fixture('echo'), other: fixture('echo') },
    quotas: {
      few: { groupBy: ['user', 'server'], servers: ['echo'], calls: 2, window: 'day' },
      short: { groupBy: ['user'], servers: ['other'], bytes: 60, window: 'day' },
    },
  };
  await using replica = await startReplica(await teamDatabase(), config);
  const outcomes: string[] = [];
  replica.replica.host.core.activity.log.recorded.on(({ outcome }) => outcomes.push(outcome));
  const people = new TeamPeople(replica);
  await people.people.add({ name: 'ana' });
  const client = new ModernClient(new HttpClient(replica.url, true, bearer(await people.give('ana'))));
  const say = async (server: string): Promise<string> =>
    JSON.stringify(await client.call(`${server}_echo`, { message: 'one of them' }));
  for (const _time of [1, 2]) expect(await say('echo')).toContain('one of them');
  expect(await say('echo')).toMatch(
    /quota \\"few\\" is exhausted: 2 calls a day, for each user and server\. The call was not run/,
  );
  // The second result exceeds the limit of bytes, which applies to the next call.
  for (const _time of [1, 2]) await say('other');
  expect(await say('other')).toMatch(/quota \\"short\\" is exhausted: 60 bytes a day/);
  await expect.poll(() => outcomes).toEqual(['ok', 'ok', 'blocked', 'ok', 'ok', 'blocked']);
});
