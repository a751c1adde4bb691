/** One replica in a process of its own, for tests that kill it: DATABASE NAME CONFIG. Says where it is. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { TestConfig } from '../../support/start-core.ts';
import { place } from '../../support/start-replicas.ts';
import { startReplica } from '../../support/start-replica.ts';

const [, , database = '', name = '', file = ''] = process.argv;
const config = JSON.parse(readFileSync(file, 'utf8')) as TestConfig;
const { url } = await startReplica(database, config, { among: place(name) });
process.stdout.write(`${url}\n`);
