/** CPU and memory usage of process groups with their descendants, from /proc on Linux and ps on macOS. */
import { readFile } from 'node:fs/promises';
import { mapProcesses, type ProcessRow, readProcesses } from './process-table.ts';

export interface GroupUsage {
  /** Number of running processes. */
  readonly processes: number;
  /** Resident memory in bytes; shared memory counts for each process. */
  readonly memoryBytes: number;
  /** Processor time since the group's start, in ms; on Linux including ended processes. */
  readonly cpuMs: number;
}

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
  const table = await readProcesses(undefined, platform);
  const owners = ownersOf(table, new Set(leaders));
  const members = table.filter(({ pid }) => owners.has(pid));
  // Only for processes of groups, because it costs a file read per process.
  const memory = await mapProcesses(members, async (one) => one.memoryBytes ?? residentBytes(one.pid));
  const usages = new Map<number, GroupUsage>();
  for (const [at, one] of members.entries()) {
    const leader = owners.get(one.pid) ?? 0;
    const { processes, memoryBytes, cpuMs } = usages.get(leader) ?? { processes: 0, memoryBytes: 0, cpuMs: 0 };
    usages.set(leader, {
      processes: processes + (one.isGone ? 0 : 1),
      memoryBytes: memoryBytes + (memory[at] ?? 0),
      cpuMs: cpuMs + one.cpuMs,
    });
  }
  return usages;
}

/** The owning group of each process: its own group, or its parent's if it left for another group, as in a sandbox. */
function ownersOf(table: readonly ProcessRow[], leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
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

/** Resident memory of a process; 0 if it has ended. The file uses kB, regardless of the page size. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
