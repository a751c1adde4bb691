/** Processor time of a process, without what it has started, in ms. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Undefined where the system does not tell it (it is read from /proc). */
export function processCpu(pid) {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = rest.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond();
  } catch {
    return undefined;
  }
}

let ticks;

function ticksPerSecond() {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticks;
}
