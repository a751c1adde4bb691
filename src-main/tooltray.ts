/**
 * Entry: the command `tooltray` of the installed app, which runs it as Node.js. `tooltray stdio` loads the shim alone;
 * every other command is the command line in the archive beside.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [command, ...rest] = process.argv.slice(2);
const isShim = command === 'stdio' && !rest.some((word) => ['--standalone', '--help', '-h'].includes(word));

// No top-level await: CommonJS has none.
void (isShim ? import('./shim.ts') : import(pathToFileURL(commandLine(import.meta.dirname)).href));

/** The command line's file: in the archive of a package, next to this file in a checkout. */
function commandLine(folder: string): string {
  const packed = join(dirname(folder), 'app.asar', 'dist', 'cli.js');
  return existsSync(packed) ? packed : join(folder, 'cli.js');
}
