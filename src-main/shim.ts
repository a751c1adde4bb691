/** Entry point for client apps, equivalent to `tooltray stdio`. */
import { join } from 'node:path';
import { runShim } from './shim/run-shim.ts';

const words = process.argv.slice(2);
// The installed app's launcher is called like the command line: `tooltray stdio …`.
if (words[0] === 'stdio') words.shift();
// No top-level await: built as CommonJS it starts 3 ms sooner, a tenth of the whole, and CommonJS does not support it.
void runShim(words, join(import.meta.dirname, 'cli.js')).then((code) => {
  process.exitCode = code;
});
