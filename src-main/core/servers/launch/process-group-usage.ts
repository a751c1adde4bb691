/** CPU and memory usage of process groups with their descendants, from /proc on Linux and ps on macOS. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface GroupUsage {
  /** Number of running processes. */
  readonly processes: number;
  /** Resident, in bytes; what processes share counts for each of them. */
  readonly memoryBytes: number;
  /** Processor time since the group began, in ms; on Linux with that of processes that have ended. */
  readonly cpuMs: number;
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ended, and not collected yet. */
  readonly isGone: boolean;
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Reads one process after another by so many at once: a system may have thousands. */
const readAtOnce = 32;
/** USER_HZ, which is 100 on every architecture that Node.js runs on. */
const tickMs = 10;

/** Returns why usage cannot be measured; undefined if it can. */
export function unmeasurableReason(platform: NodeJS.Platform): string | undefined {
  return platform === 'linux' || platform === 'darwin' ? undefined : 'Not measured on Windows.';
}

/** Usage by the process id of each group's leader; ended groups are left out. Rejects if the system reports none. */
export async function measureGroups(
  leaders: readonly number[],
  platform: NodeJS.Platform = process.platform,
): Promise<ReadonlyMap<number, GroupUsage>> {
  if (leaders.length === 0) return new Map();
  const table = platform === 'linux' ? await procTable() : await psTable();
  const owners = ownersOf(table, new Set(leaders));
  const members = table.filter(({ pid }) => owners.has(pid));
  const usages = new Map<number, GroupUsage>();
  for (let from = 0; from < members.length; from += readAtOnce) {
    const some = members.slice(from, from + readAtOnce);
    // Only of those that count: one more file a process.
    const memory = await Promise.all(
      some.map(async (one) => (platform === 'linux' ? procMemory(one.pid) : one.memoryBytes)),
    );
    some.forEach((one, index) => {
      const leader = owners.get(one.pid) ?? 0;
      const { processes, memoryBytes, cpuMs } = usages.get(leader) ?? { processes: 0, memoryBytes: 0, cpuMs: 0 };
      usages.set(leader, {
        processes: processes + (one.isGone ? 0 : 1),
        memoryBytes: memoryBytes + (memory[index] ?? 0),
        cpuMs: cpuMs + one.cpuMs,
      });
    });
  }
  return usages;
}

/** The owning group of each process: its own group, or its parent's if it left for another group, as in a sandbox. */
function ownersOf(table: readonly ProcessFacts[], leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
  const byPid = new Map(table.map((one) => [one.pid, one]));
  const owners = new Map<number, number>();
  for (const { pid } of table) {
    const way = new Set<number>();
    for (let at = byPid.get(pid); at !== undefined && !way.has(at.pid); at = byPid.get(at.parent)) {
      way.add(at.pid);
      const owner = leaders.has(at.pid) ? at.pid : leaders.has(at.group) ? at.group : undefined;
      if (owner !== undefined) {
        owners.set(pid, owner);
        break;
      }
    }
  }
  return owners;
}

async function procTable(): Promise<ProcessFacts[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const table: ProcessFacts[] = [];
  for (let from = 0; from < pids.length; from += readAtOnce) {
    const read = pids
      .slice(from, from + readAtOnce)
      .map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''));
    for (const stat of await Promise.all(read)) {
      const facts = readStat(stat);
      if (facts !== undefined) table.push(facts);
    }
  }
  return table;
}

/**
 * proc(5): the name is in brackets and may hold anything; after it come state, parent, group, and times as the 12th to
 * 15th.
 */
function readStat(stat: string): ProcessFacts | undefined {
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || group === undefined) return undefined;
  // User and system, its own and that of children it has collected.
  const ticks = rest.slice(8, 12).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    isGone: state === 'Z' || state === 'X',
    cpuMs: ticks * tickMs,
    memoryBytes: 0,
  };
}

/** 0 for one that has ended meanwhile. In kB, which the file says whatever the size of a page is. */
async function procMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

const run = promisify(execFile);

async function psTable(): Promise<ProcessFacts[]> {
  const columns = 'pid=,ppid=,pgid=,state=,rss=,time=';
  const { stdout } = await run('ps', ['-A', '-o', columns], { timeout: 5000, maxBuffer: 16 * 1024 * 1024 });
  return readPs(stdout);
}

/** A process a line, memory in KiB; what does not fit is left out. Exported for tests. */
export function readPs(text: string): ProcessFacts[] {
  const row = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+([\d:.-]+)\s*$/gm;
  return [...text.matchAll(row)].map(([, pid, parent, group, state = '', rss, time = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    isGone: state.startsWith('Z'),
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
