/** The right to run one person's process of a server: one has it, whatever its clock and its database do. */
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src-main/team/database/database.ts';
import { Leases } from '../../../src-main/team/placement/leases.ts';
import { teamDatabase } from '../../support/team-database.ts';
import { until } from '../../support/until.ts';
import { ann, bob, otherAnn } from './people.ts';

function leasesOf(database: Database, runner: string, leaseMs = 15_000, mostPerPerson = 8): Leases {
  return new Leases({ sql: (tenant) => database.of(tenant), runner, limits: () => ({ leaseMs, mostPerPerson }) });
}

test('of many that want it one has it, whoever the other people are; what is let go of is free', async () => {
  const url = await teamDatabase();
  const database = new Database({ url, most: 4 });
  onTestFinished(() => database.close());
  const of = (runner: string): Leases => leasesOf(database, runner);
  const [one, two, three] = [of('one'), of('two'), of('three')];
  const tries = await Promise.allSettled([one, two, three, one, two, three].map((each) => each.hold(ann, 'a')));
  const [won, ...more] = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [lost] = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(more).toEqual([]);
  expect(lost).toMatchObject({ code: 'server_starting', data: { runner: expect.any(String) as string } });
  const others = await Promise.all([one.hold(bob, 'a'), two.hold(otherAnn, 'a'), three.hold(ann, 'b')]);
  await won?.release();
  const next = await two.hold(ann, 'a');
  expect([won?.isOver(), next.isOver()]).toEqual([true, false]);
  await Promise.all([...others, next].map((each) => each.release()));
});

test('who cannot say it again ends before anybody else may have it', async () => {
  const url = await teamDatabase();
  const [mine, theirs] = [new Database({ url, most: 1 }), new Database({ url, most: 1 })];
  onTestFinished(async () => void (await Promise.all([mine.close(), theirs.close()])));
  const held = await leasesOf(mine, 'one', 2000).hold(ann, 'a');
  const other = leasesOf(theirs, 'two', 2000);
  // It is put off while the database answers …
  let times = 0;
  held.follow(() => times++);
  await until(() => times > 1);
  expect(held.isOver()).toBe(false);
  await mine.close();
  let wasOver: boolean | undefined;
  await until(() => {
    void other.hold(ann, 'a').then(
      (taken) => {
        wasOver ??= held.isOver();
        return taken.release();
      },
      () => undefined,
    );
    return wasOver !== undefined;
  });
  // … and is over before it can be had by another.
  expect([wasOver, held.over.aborted]).toEqual([true, true]);
});

test('a person has so many at a time wherever they run, also where they begin at once', async () => {
  const database = new Database({ url: await teamDatabase(), most: 6 });
  onTestFinished(() => database.close());
  const [one, two] = [leasesOf(database, 'one', 15_000, 2), leasesOf(database, 'two', 15_000, 2)];
  const servers = ['a', 'b', 'c', 'd'];
  const tries = await Promise.allSettled(servers.map((server, at) => (at % 2 === 0 ? one : two).hold(ann, server)));
  const held = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [why] = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  expect([held.length, one.refused + two.refused]).toEqual([2, 2]);
  expect(why).toMatchObject({
    code: 'server_not_started',
    message: expect.stringMatching(
      /you have \w, \w running, and 2 servers at a time is the limit \(personal\.perPerson\)/,
    ) as string,
  });
  const bobs = await two.hold(bob, 'a');
  await Promise.all([...held, bobs].map((each) => each.release()));
  await (await one.hold(ann, 'd')).release();
});
