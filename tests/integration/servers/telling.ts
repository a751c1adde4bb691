/** A server that returns its environment and arguments, in its results and on stderr. */
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

const given = JSON.stringify({ variable: process.env['TOLD_KEY'], words: process.argv.slice(2) });
process.stderr.write(`started with ${given}\n`);

serveRaw({
  name: 'telling',
  listTools: () => ({ tools: [anyTool('tell')] }),
  call: ({ say }) => say(given),
});
