/** One replica at a time runs a user's process of a server, by advisory locks of a real PostgreSQL. */
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { PersonLocks } from '../../../src-main/team/placement/person-locks.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';
import { ann, bob } from './people.ts';

function locksAt(url: string): PersonLocks {
  const locks = new PersonLocks(url);
  onTestFinished(() => locks.close());
  return locks;
}

const ignored = (): void => undefined;

test('a second replica waits for the lock, and after a timeout asks the caller to retry', async () => {
  const url = await teamDatabase();
  const [one, two] = [locksAt(url), locksAt(url)];
  const lock = await one.acquire(ann, 'counter', ignored, 0);
  await expect(two.acquire(ann, 'counter', ignored, 0)).rejects.toMatchObject({
    code: 'server_starting',
    data: { retryAfterSeconds: 30 },
  });
  // Free for another user, and for another server.
  await two.acquire(bob, 'counter', ignored, 0);
  await two.acquire(ann, 'other', ignored, 0);
  const waiting = two.acquire(ann, 'counter', ignored, 60_000);
  await lock.release();
  await waiting;
  await expect(one.acquire(ann, 'counter', ignored, 0)).rejects.toMatchObject({ code: 'server_starting' });
});

test('after a lost connection, reacquires free locks, and reports those that another replica took', async () => {
  const url = await teamDatabase();
  const [one, two] = [locksAt(url), locksAt(url)];
  const lost: string[] = [];
  // Locks are reacquired in this order.
  await one.acquire(bob, 'counter', () => lost.push('bob'), 0);
  await one.acquire(ann, 'counter', () => lost.push('ann'), 0);
  const owner = connect({ url, most: 1 });
  onTestFinished(() => owner.end());
  await owner`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (
    SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`;
  await two.acquire(ann, 'counter', ignored, 10_000);
  await until(() => lost.length > 0);
  expect(lost).toEqual(['ann']);
  await expect(two.acquire(bob, 'counter', ignored, 0)).rejects.toMatchObject({ code: 'server_starting' });
});
