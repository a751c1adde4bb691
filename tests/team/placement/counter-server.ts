/** Counts calls; returns its PID, its variables, and files, and stores a text. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { anyTool, type RawCall, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

let counted = 0;

const tools: Record<string, (call: RawCall) => void> = {
  count: ({ say }) => say(String(++counted)),
  pid: ({ say }) => say(String(process.pid)),
  env: ({ say }) => say(JSON.stringify(process.env)),
  hang: () => undefined,
  /** Records its name in the given file, then takes its time. */
  slow: ({ args, say }) => {
    if (typeof args['name'] === 'string') appendFileSync(process.argv[2] ?? '', `${args['name']}\n`);
    setTimeout(() => say('done'), Number(args['ms']));
  },
  /** In its home directory. */
  keep: ({ args, say }) => {
    writeFileSync(join(homedir(), 'kept'), String(args['text']));
    say(join(homedir(), 'kept'));
  },
  file: ({ args, say }) => {
    const path = String(args['path']);
    say(existsSync(path) ? readFileSync(path, 'utf8') : 'none');
  },
};

serveRaw({
  name: 'counter',
  listTools: () => ({ tools: Object.keys(tools).map((name) => anyTool(name, `Does ${name}.`)) }),
  call: (call) => tools[call.name]?.(call),
});

// Continues when its input ends, like careless servers.
if (process.argv.includes('--stays')) {
  process.stdin.removeAllListeners('end');
  setInterval(() => undefined, 1000);
}
