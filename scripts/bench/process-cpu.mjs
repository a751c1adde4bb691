/** Processor time of a process, without what it has started, in ms. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Undefined if the system does not tell it (it is read from /proc). */
export function processCpu(pid) {
  try {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = rest.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond();
  } catch {
    return undefined;
  }
}

const lookMs = 100;
const quietMs = 300;
const maxMs = 5000;

/**
 * Resolves with the processor time of a process, in ms, when it does nothing any longer: what it puts off until calls
 * are answered is a part of what they cost.
 */
export async function settledCpu(pid) {
  let last = processCpu(pid);
  for (let [quiet, all] = [0, 0]; quiet < quietMs && all < maxMs; quiet += lookMs, all += lookMs) {
    await sleep(lookMs);
    const now = processCpu(pid);
    if (now !== last) quiet = 0;
    last = now;
  }
  return last;
}

let ticks;

function ticksPerSecond() {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticks;
}
