/**
 * Searches for given keys everywhere that its replica's keys may be: environments and command lines of all processes,
 * files below the given paths, and sockets.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { anyTool, serveRaw } from '../../fixtures/servers/raw/raw-server.ts';

function contents(path: string): string {
  try {
    if (!statSync(path).isDirectory()) return readFileSync(path, 'latin1');
    return readdirSync(path)
      .map((name) => contents(join(path, name)))
      .join('\n');
  } catch {
    return '';
  }
}

function ofProcesses(file: string): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => contents(join('/proc', pid, file))).join('\n');
}

serveRaw({
  name: 'key-reader',
  listTools: () => ({ tools: [anyTool('read')] }),
  call: ({ args, say }) => {
    const { paths, keys } = args as { paths: readonly string[]; keys: readonly string[] };
    const texts = [
      JSON.stringify(process.env),
      ...['environ', 'cmdline', 'root/proc/self/environ'].map(ofProcesses),
      ...paths.map(contents),
    ];
    const text = texts.join('\n');
    const sockets = contents('/proc/net/unix').match(/\/\S+$/gm) ?? [];
    say(
      JSON.stringify({
        canRead: text.includes('PATH='),
        found: keys.filter((key) => text.includes(key)),
        sockets: sockets.filter((path) => statSync(path, { throwIfNoEntry: false })?.isSocket() === true),
      }),
    );
  },
});
