/** How V8 compiles what a core runs. */
import { setFlagsFromString } from 'node:v8';

/**
 * V8 compiles a function that runs often together with many of those that it calls: some milliseconds of a processor each time, for two hundred
 * functions of a core, and on a small machine a call waits behind that. In smaller pieces it takes less of it, and what comes out is as fast
 * (`npm run bench -- latency http`). Of the process as a whole.
 */
export function compileSmall(): void {
  setFlagsFromString('--max-inlined-bytecode-size=100');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200');
}
