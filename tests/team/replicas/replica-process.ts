/**
 * One replica in a process of its own, for tests that kill it: DATABASE NAME CONFIG [ROLE]. Says where it is, and ends in order by SIGTERM; killed,
 * it is taken for gone a second later.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { replicaRoles } from '../../../src-main/team/replicas/replica-role.ts';
import type { TestConfig } from '../../support/start-core.ts';
import { place } from '../../support/start-replicas.ts';
import { startReplica } from '../../support/start-replica.ts';

const [, , database = '', name = '', file = '', word = 'all'] = process.argv;
const config = JSON.parse(readFileSync(file, 'utf8')) as TestConfig;
const role = replicaRoles.find((one) => one === word);
const { replica, url } = await startReplica(database, config, { among: place(name, { role, leaseMs: 1_000 }) });
process.once('SIGTERM', () => {
  void replica
    .drain()
    .then(() => replica.stop())
    .then(() => process.exit(0));
});
process.stdout.write(`${url}\n`);
