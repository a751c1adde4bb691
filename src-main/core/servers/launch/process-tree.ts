/**
 * Finds the processes of a launch, including those that left its process group: by parent, and by a mark in their
 * environment, which survives the end of a parent. Linux reports both (/proc), macOS by `ps`; Windows ends trees by
 * itself.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mapProcesses, processIds, psOptions, readProcess, readProcesses } from './process-table.ts';

/** The variable with the mark. A core that is started by a server must not inherit it, so it is removed for cores. */
export const markVariable = 'TOOLTRAY_PROCESS';

/** A process, safe against reuse of its id. */
export interface KnownProcess {
  readonly pid: number;
  /** Start time as a text that is unique for this process id. */
  readonly began: string;
}

/** Returns the descendants of a process. Empty if the system does not report them. Never rejects. */
export async function descendantsOf(pid: number): Promise<readonly KnownProcess[]> {
  const table = await runningProcesses();
  const found = new Map<number, KnownProcess>();
  const above = new Set([pid]);
  // The order of parents and children is undefined.
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const one of table) {
      if (!above.has(one.parent) || above.has(one.pid)) continue;
      above.add(one.pid);
      found.set(one.pid, one);
    }
  }
  return [...found.values()];
}

/** Returns the processes whose mark is `mark`, or begins with it and a dot. Never rejects. */
export async function markedProcesses(mark: string): Promise<readonly KnownProcess[]> {
  if (process.platform === 'darwin') return markedByPs(mark).catch(() => []);
  const found = await mapProcesses(await processIds().catch(() => []), async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    return isMarked(environment, mark) ? readProcess(pid) : [];
  });
  return found.flat().filter(({ pid, isGone }) => !isGone && pid !== process.pid);
}

/**
 * Kills the processes with a mark synchronously (Linux), except those of the launches in `spared`; for the end of our
 * own process.
 */
export function killMarkedNow(mark: string, spared: ReadonlySet<string>): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
      if ([...spared].some((one) => isMarked(environment, one))) continue;
      if (isMarked(environment, mark)) process.kill(Number(name), 'SIGKILL');
    } catch {
      // Ended, or owned by another user.
    }
  }
}

/**
 * Ends the remaining processes of a launch: SIGTERM, then SIGKILL after `graceMs`, until none has the mark. `known`:
 * descendants that were seen. Never rejects.
 */
export async function endLeftovers(mark: string, known: readonly KnownProcess[], graceMs: number): Promise<void> {
  if (process.platform === 'win32') return;
  // Repeated, because a killed process may have started another one meanwhile.
  for (let round = 0; round < maxRounds; round++) {
    const left = await running([...known, ...(await markedProcesses(mark))]);
    if (left.length === 0) return;
    send(left, round === 0 ? 'SIGTERM' : 'SIGKILL');
    const deadline = performance.now() + graceMs;
    while ((await running(left)).length > 0 && performance.now() < deadline) await sleep(pollIntervalMs);
  }
}

const maxRounds = 5;
const pollIntervalMs = 20;

function send(processes: readonly KnownProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // Ended already.
    }
  }
}

async function running(processes: readonly KnownProcess[]): Promise<readonly KnownProcess[]> {
  if (processes.length === 0) return [];
  const now = new Map((await runningProcesses(processes.map(({ pid }) => pid))).map((one) => [one.pid, one]));
  const left = processes.filter(({ pid, began }) => now.get(pid)?.began === began);
  return [...new Map(left.map((one) => [one.pid, one])).values()];
}

function isMarked(environment: string, mark: string): boolean {
  const at = `${markVariable}=${mark}`;
  const found = environment.indexOf(at);
  const next = environment[found + at.length];
  return found >= 0 && (next === undefined || next === '\0' || next === '.' || next === ' ');
}

/** Omits zombies. Never rejects. */
async function runningProcesses(pids?: readonly number[]): ReturnType<typeof readProcesses> {
  return (await readProcesses(pids).catch(() => [])).filter(({ isGone }) => !isGone);
}

const run = promisify(execFile);

/** macOS prints the environment of the user's own processes after their commands. Never run on a Mac yet. */
async function markedByPs(mark: string): Promise<readonly KnownProcess[]> {
  const { stdout } = await run('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], psOptions);
  const pids = stdout.split('\n').flatMap((line) => (isMarked(line, mark) ? [Number.parseInt(line, 10)] : []));
  return pids.length === 0 ? [] : runningProcesses(pids.filter((pid) => pid !== process.pid));
}
