/** Who is among the replicas, and where the others reach it. */
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { ReplicaRegistry } from '../../../src-main/team/replicas/replica-registry.ts';
import { teamDatabase } from '../../support/team-database.ts';

const log = { warn: () => undefined, info: () => undefined };

test('a replica is told of others while it starts, and is found where it listens once it does', async () => {
  const sql = connect({ url: await teamDatabase(), most: 2 });
  const opened = (name: string): ReplicaRegistry => {
    const registry = new ReplicaRegistry({ sql, log, name, version: '1', config: () => '' });
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
