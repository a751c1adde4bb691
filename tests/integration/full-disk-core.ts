/** A core whose home is on a small disk that is filled and emptied again. Takes the home; prints what it publishes as JSON. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { coreState } from '../../src-main/rpc/deps.ts';
import { stateBuilders } from '../../src-main/rpc/build-state.ts';
import { fixture, startCore } from '../support/start-core.ts';

const home = process.argv[2] ?? '';
const filler = join(home, 'filler');

/** Until not a single byte fits. */
async function fill(): Promise<void> {
  const file = await open(filler, 'w');
  for (let size = 1024 * 1024; size >= 1;)
    await file.write(Buffer.alloc(size)).catch(() => (size = Math.floor(size / 8)));
  await file.close();
}

const core = await startCore({ servers: { echo: fixture('echo') } }, { home });
const { host } = core;
const names = (): string[] => host.core.context.health.problems.map(({ store }) => store).toSorted();
const client = await core.open();
await client.say('echo', { message: 'before' });
await host.core.activity.log.flush();
await fill();
while (!['activity', 'audit'].every((store) => names().includes(store))) {
  await client.say('echo', { message: 'x'.repeat(30_000) });
  await host.core.activity.log.flush();
}
const full = coreState(host.core, host.addresses).storeProblems;
const attention = await stateBuilders(host.rpcDeps).attention();
const answer = await client.say('echo', { message: 'still answers' });
await rm(filler);
while (names().length > 0) {
  await client.say('echo', { message: 'after' });
  await host.core.activity.log.flush();
  await host.core.trust.audit.flush();
  // Stores without writes are probed.
  if (names().every((name) => name === 'log')) host.log.warn('The disk has room again.');
  host.log.flush();
}
process.stdout.write(`${JSON.stringify({ full, attention, answer })}\n`);
client.socket.destroy();
await host.stop();
process.exit(0);
