/** A core in a process of its own, which is killed. Takes the home; prints where it is reached. */
import { fixture, startCore } from '../support/start-core.ts';

const { host, url } = await startCore(
  { servers: { echo: fixture('echo'), asker: fixture('asker') } },
  { home: process.argv[2] ?? '' },
);
const { pageKey, paths, core } = host;
process.stdout.write(`${JSON.stringify({ url, pageKey, socketPath: paths.socketPath, token: core.clients.token })}\n`);
