/**
 * Entry point of the command `tooltray` of the installed app, which runs it as Node.js. `tooltray stdio` loads only
 * the shim; other commands load the command line from the archive next to it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [command, ...rest] = process.argv.slice(2);
const isShim = command === 'stdio' && !rest.some((word) => ['--standalone', '--help', '-h'].includes(word));

// No top-level await, which CommonJS does not support.
void (isShim ? import('./shim.ts') : import(pathToFileURL(commandLine(import.meta.dirname)).href));

/** Path of the command line's file: in the package's archive, or next to this file in a checkout. */
function commandLine(folder: string): string {
  const packed = join(dirname(folder), 'app.asar', 'dist', 'cli.js');
  return existsSync(packed) ? packed : join(folder, 'cli.js');
}
