/** A server that tells what it was started with, in its answers and on stderr. */
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const given = JSON.stringify({ variable: process.env['TOLD_KEY'], words: process.argv.slice(2) });
process.stderr.write(`started with ${given}\n`);

serveRaw({
  name: 'telling',
  listTools: () => ({ tools: [anyTool('tell')] }),
  call: ({ say }) => say(given),
});
