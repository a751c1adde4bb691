/** Who is among the replicas, and where the others reach it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { connect, Database } from '../../../src-main/team/database/database.ts';
import { ReplicaRegistry } from '../../../src-main/team/replicas/replica-registry.ts';
import type { ReplicaRole } from '../../../src-main/team/replicas/replica-role.ts';
import { tcpDoor } from '../../support/tcp-door.ts';
import { teamDatabase } from '../../support/team-database.ts';

const log = { warn: () => undefined, info: () => undefined };

test('a replica is told of others while it starts, and is found where it listens once it does', async () => {
  const sql = connect({ url: await teamDatabase(), most: 2 });
  const opened = (name: string): ReplicaRegistry => {
    const registry = new ReplicaRegistry({
      sql,
      log,
      name,
      version: '1',
      config: () => '',
      tenant: 'main',
      role: 'all',
    });
    onTestFinished(() => registry.stop());
    return registry;
  };
  const [first, second] = [opened('a'), opened('b')];
  onTestFinished(() => sql.end());
  await second.start('127.0.0.1:2');
  // As the second one's notice has it do.
  await first.refresh();
  await second.refresh();
  expect([first.find(second.id)?.address, second.isLive(first.id)]).toEqual(['127.0.0.1:2', false]);
  await first.start('127.0.0.1:1');
  await second.refresh();
  expect(second.find(first.id)?.address).toBe('127.0.0.1:1');
});

test('sessions are opened at no runner, people’s processes at no front, and neither at another tenant’s replica', async () => {
  const database = new Database({ url: await teamDatabase(), most: 4 });
  onTestFinished(() => database.close());
  const start = async (name: string, role: ReplicaRole, tenant = 'main'): Promise<ReplicaRegistry> => {
    const registry = new ReplicaRegistry({
      ...{ name, role, tenant, log },
      sql: database.shared,
      version: '0',
      config: () => '',
    });
    await registry.start(`127.0.0.1:${name}`);
    onTestFinished(() => registry.stop());
    return registry;
  };
  const one = await start('one', 'all');
  for (const role of ['front', 'runner', 'all'] as const) await start(`other-${role}`, role, 'other');
  await one.refresh();
  expect([one.another, one.otherRunners]).toEqual([undefined, []]);
  const runner = await start('runner', 'runner');
  await one.refresh();
  expect([one.another, one.otherRunners.map(({ id }) => id)]).toEqual([undefined, [runner.id]]);
  const front = await start('front', 'front');
  await one.refresh();
  expect([one.another?.id, one.otherRunners.map(({ id }) => id)]).toEqual([front.id, [runner.id]]);
  const gone: string[] = [];
  one.gone.on((id) => gone.push(id));
  await runner.drain();
  await one.refresh();
  expect([one.otherRunners, one.find(runner.id)?.isDraining, gone]).toEqual([[], true, []]);
  await runner.stop();
  await one.refresh();
  expect([one.find(runner.id), gone]).toEqual([undefined, [runner.id]]);
});

test('after a time without the database nobody is taken for gone who is there, and who is not is once a lease has passed', async () => {
  const url = new URL(await teamDatabase());
  const door = await tcpDoor(url.hostname, Number(url.port));
  url.port = String(door.port);
  // So long that none of it ends while this machine stalls.
  const leaseMs = 4000;
  const start = async (name: string): Promise<ReplicaRegistry> => {
    const database = new Database({ url: url.href, most: 2 });
    onTestFinished(() => database.close());
    const registry = new ReplicaRegistry({
      ...{ name, log, leaseMs, tenant: 'main', role: 'all', sql: database.shared },
      // They say that they are there when this test has them do so.
      ...{ version: '0', config: () => '', beatMs: 600_000 },
    });
    await registry.start(`127.0.0.1:${name}`);
    onTestFinished(() => registry.stop());
    return registry;
  };
  const [one, lasting, ending, left] = [
    await start('one'),
    await start('lasting'),
    await start('ending'),
    await start('left'),
  ];
  const gone: string[] = [];
  one.gone.on((id) => gone.push(id));
  await one.refresh();
  await door.shut();
  await one.refresh();
  await sleep(leaseMs + 100);
  await door.reopen();
  await expect.poll(() => one.refresh().then(() => one.isBlind)).toBe(false);
  expect([one.isLive(lasting.id), one.isLive(ending.id), gone]).toEqual([true, true, []]);
  await left.stop();
  await expect.poll(() => lasting.refresh().then(() => lasting.isBlind)).toBe(false);
  await one.refresh();
  expect(gone).toEqual([left.id]);
  await expect
    .poll(async () => {
      await lasting.refresh();
      await one.refresh();
      return gone;
    })
    .toEqual([left.id, ending.id]);
  expect(one.isLive(lasting.id)).toBe(true);
});
