/** A core in a separate process, which is killed. Takes the home; prints its address. */
import { fixture, startCore } from '../support/start-core.ts';

const { host, url } = await startCore(
  { servers: { echo: fixture('echo'), asker: fixture('asker') } },
  { home: process.argv[2] ?? '' },
);
const { pageKey, paths, core } = host;
process.stdout.write(`${JSON.stringify({ url, pageKey, socketPath: paths.socketPath, token: core.clients.token })}\n`);
