/** A core that starts on a full disk. Takes the home; prints what it publishes as JSON. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { coreState } from '../../src-main/rpc/deps.ts';
import { fixture, startCore } from '../support/start-core.ts';

const home = process.argv[2] ?? '';
const config = { servers: { echo: fixture('echo') } };

const first = await startCore(config, { home });
await first.host.stop();
const file = await open(join(home, 'filler'), 'w');
for (let size = 1024 * 1024; size >= 1;)
  await file.write(Buffer.alloc(size)).catch(() => (size = Math.floor(size / 8)));
await file.close();

const second = await startCore(config, { home });
const { host } = second;
const client = await second.open();
const answer = await client.say('echo', { message: 'answers' });
const { storeProblems } = coreState(host.core, host.addresses);
process.stdout.write(`${JSON.stringify({ full: storeProblems, answer })}\n`);
client.socket.destroy();
await host.stop();
process.exit(0);
