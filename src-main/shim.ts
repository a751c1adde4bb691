/** Entry: what a client app starts, the same as `tooltray stdio` and nothing besides. */
import { join } from 'node:path';
import { runShim } from './shim/run-shim.ts';

const words = process.argv.slice(2);
// The launcher of the installed app is called as the command line is: `tooltray stdio …`.
if (words[0] === 'stdio') words.shift();
// No top-level await: built as CommonJS it starts 3 ms sooner, a tenth of the whole, and CommonJS has none.
void runShim(words, join(import.meta.dirname, 'cli.js')).then((code) => {
  process.exitCode = code;
});
