/** Reads the process table: from /proc on Linux, from `ps` on macOS. Windows has its own. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Whether it is a zombie. */
  readonly isGone: boolean;
  /** Start time as a text that is unique for this process id. */
  readonly began: string;
  /** Processor time in ms; on Linux including reaped children. */
  readonly cpuMs: number;
  /** Resident memory in bytes; undefined on Linux, where it is in another file. */
  readonly memoryBytes: number | undefined;
}

/** Maximum number of concurrent reads, because a system may have thousands of processes. */
const maxConcurrentReads = 32;
/** USER_HZ, which is 100 on every architecture that Node.js runs on. */
const tickMs = 10;

const run = promisify(execFile);
export const psOptions = { timeout: 5000, maxBuffer: 64 * 1024 * 1024 } as const;

/** Returns all processes, or those with these ids that exist. Empty on Windows. Rejects if the system reports none. */
export async function readProcesses(
  pids?: readonly number[],
  platform: NodeJS.Platform = process.platform,
): Promise<readonly ProcessRow[]> {
  if (platform === 'win32') return [];
  if (platform === 'linux') return (await mapProcesses(pids ?? (await processIds()), readProcess)).flat();
  const which = pids === undefined ? ['-A'] : ['-p', pids.join(',')];
  const { stdout } = await run('ps', [...which, '-o', 'pid=,ppid=,pgid=,state=,rss=,time=,lstart='], psOptions);
  return readPs(stdout);
}

/** The ids of all processes (Linux). */
export async function processIds(): Promise<readonly number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Processes items with limited concurrency, and returns the results in order. */
export async function mapProcesses<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < items.length; from += maxConcurrentReads) {
    results.push(...(await Promise.all(items.slice(from, from + maxConcurrentReads).map(work))));
  }
  return results;
}

/** Returns one process, or nothing if it has ended (Linux). Never rejects. */
export async function readProcess(pid: number): Promise<readonly ProcessRow[]> {
  return readStat(await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''));
}

/** The same, synchronously; undefined if it has ended (Linux). */
export function readProcessSync(pid: number): ProcessRow | undefined {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))[0];
  } catch {
    return undefined;
  }
}

/** Source: proc(5). The name is in parentheses and may contain anything; the state after it is the third field. */
function readStat(stat: string): readonly ProcessRow[] {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  if (group === undefined) return [];
  // User and system time, its own and that of its children.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return [
    {
      pid: Number.parseInt(stat, 10),
      parent: Number(parent),
      group: Number(group),
      isGone: state === 'Z' || state === 'X',
      began: fields[19] ?? '',
      cpuMs: ticks * tickMs,
      memoryBytes: undefined,
    },
  ];
}

/** One process per line, memory in KiB; other lines are skipped. Source: ps(1) of macOS. Exported for tests. */
export function readPs(text: string): readonly ProcessRow[] {
  const row = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+([\d:.-]+)\s+(\S.*?)\s*$/gm;
  return [...text.matchAll(row)].map(([, pid, parent, group, state = '', rss, time = '', began = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    isGone: state.startsWith('Z'),
    began,
    cpuMs: timeMs(time),
    memoryBytes: Number(rss) * 1024,
  }));
}

/** `12:34.56` (macOS), `01:02:03`, `2-01:02:03`. */
function timeMs(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1000);
}
