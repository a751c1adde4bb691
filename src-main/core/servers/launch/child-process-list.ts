/**
 * Records the processes that a core has started on disk. If a core is killed, servers that ignore the end of their
 * input keep running and hold ports or locks. The next core reads the lists of dead cores and ends what is left. A
 * process id may have been reused, so its start time is recorded too.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError } from '../../base/errors.ts';
import { readProcesses, readProcessSync } from './process-table.ts';
import { endLeftovers } from './process-tree.ts';

const namePattern = /^children-\d+\.list$/;
/** How long a process may take to end after SIGTERM, in ms. */
const graceMs = 1000;

/** Start times by process id. */
type Began = ReadonlyMap<number, string>;

/**
 * The process table of a system where listing is slow and covers all processes (Windows, macOS), so that it is not
 * read during a server's start.
 */
export interface ProcessTableSource {
  /** Rejects if the system does not report processes. */
  readonly table: () => Promise<Began>;
  /** Ends a process with its descendants. Never rejects. */
  readonly end: (pid: number) => Promise<void>;
}

export class ChildProcessList {
  /** Marks every process started by this core (process-tree.ts). */
  readonly mark = randomBytes(9).toString('hex');
  readonly #file: string;
  readonly #slow: ProcessTableSource | undefined;
  /** Processes whose start time is not known yet. */
  readonly #unknown = new Set<number>();
  #asking: Promise<void> | undefined;
  #open = false;
  #usable = true;

  /** `folder`: shared by the cores of a home, with one file per core. */
  constructor(folder: string, slow: ProcessTableSource | undefined = systemOf(process.platform)) {
    this.#file = join(folder, `children-${process.pid}.list`);
    this.#slow = slow;
  }

  add(pid: number): void {
    if (this.#slow !== undefined) {
      this.#unknown.add(pid);
      this.#asking ??= this.#ask(this.#slow);
      return;
    }
    const startedAt = beganAt(pid);
    if (startedAt !== undefined) this.#write(`+${pid} ${startedAt}\n`, beganAt(process.pid));
  }

  delete(pid: number): void {
    this.#unknown.delete(pid);
    if (this.#open) this.#write(`-${pid}\n`, undefined);
  }

  /** Resolves when everything is written. Never rejects. */
  async flushed(): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
  }

  /** Called when no process is left to end. */
  close(): void {
    this.#unknown.clear();
    if (this.#open) rmSync(this.#file, { force: true });
    this.#open = false;
    this.#usable = false;
  }

  /** Runs until the start time of every process is known; one query serves all processes that start meanwhile. */
  async #ask({ table }: ProcessTableSource): Promise<void> {
    try {
      while (this.#unknown.size > 0) {
        const pending = [...this.#unknown];
        const began = await table();
        for (const pid of pending) {
          // A process that ended meanwhile was removed, and its id may have been reused.
          const startedAt = this.#unknown.delete(pid) ? began.get(pid) : undefined;
          if (startedAt !== undefined) this.#write(`+${pid} ${startedAt}\n`, began.get(process.pid));
        }
      }
    } catch {
      // Without process information there is no list, as on other systems without one.
      this.#unknown.clear();
      this.#usable = false;
    }
    this.#asking = undefined;
  }

  /** Appends a line, so that a crash loses at most the last one. `core`: our own start time. */
  #write(line: string, core: string | undefined): void {
    if (!this.#usable) return;
    try {
      if (!this.#open) {
        rmSync(this.#file, { force: true });
        const head = `core ${process.pid} ${core ?? ''}\nmark ${this.mark}\n`;
        appendFileSync(this.#file, head, { mode: 0o600 });
        this.#open = true;
      }
      appendFileSync(this.#file, line);
    } catch {
      // A full disk must not keep a server from starting.
      this.#usable = false;
    }
  }
}

/** Ends what dead cores have left running. Resolves with the number of remaining groups. Never rejects. */
export async function killOrphanedProcesses(
  folder: string,
  slow: ProcessTableSource | undefined = systemOf(process.platform),
): Promise<number> {
  const files = listsIn(folder);
  // The query takes a second, and usually there is no list.
  if (files.length === 0) return 0;
  const table = await slow?.table().catch(() => undefined);
  if (slow !== undefined && table === undefined) return 0;
  const began = (pid: number): string | undefined => (table === undefined ? beganAt(pid) : table.get(pid));
  const lists = files.flatMap((file) => readList(file, began) ?? []);
  const left = lists.flatMap(({ children }) => [...children]).filter(([pid, startedAt]) => began(pid) === startedAt);
  await Promise.all(left.map(([pid]) => (slow === undefined ? endGroup(pid) : slow.end(pid))));
  for (const { mark } of lists) if (mark !== undefined) await endLeftovers(mark, [], graceMs);
  for (const { file } of lists) rmSync(file, { force: true });
  return left.length;
}

interface LeftList {
  readonly file: string;
  readonly mark: string | undefined;
  readonly children: Began;
}

function listsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (namePattern.test(name) ? [join(folder, name)] : []));
  } catch {
    return [];
  }
}

/** Undefined for the list of a running core. */
function readList(file: string, began: (pid: number) => string | undefined): LeftList | undefined {
  const [first = '', ...lines] = textOf(file).split('\n').slice(0, -1);
  const core = /^core (\d+) (.+)$/.exec(first);
  if (core !== null && began(Number(core[1])) === core[2]) return undefined;
  const children = new Map<number, string>();
  for (const line of lines) {
    const added = /^\+(\d+) (.+)$/.exec(line);
    if (added !== null) children.set(Number(added[1]), added[2] as string);
    else if (line.startsWith('-')) children.delete(Number(line.slice(1)));
  }
  return { file, mark: /^mark (\w+)$/.exec(lines[0] ?? '')?.[1], children };
}

/** Another core may remove the file at this moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function systemOf(platform: NodeJS.Platform): ProcessTableSource | undefined {
  if (platform === 'linux') return undefined;
  return platform === 'win32' ? { table: windowsTable, end: endWindowsTree } : { table: psTable, end: endGroup };
}

/** Untested on macOS. */
async function psTable(): Promise<Began> {
  return new Map((await readProcesses()).flatMap(({ pid, began, isGone }) => (isGone ? [] : [[pid, began] as const])));
}

const run = promisify(execFile);
const windowsFolder = (): string => process.env['SystemRoot'] ?? 'C:\\Windows';
const execOptions = { windowsHide: true, timeout: 20_000, maxBuffer: 16 * 1024 * 1024 } as const;

/** CIM by PowerShell, which every Windows has. Never run on Windows yet. */
async function windowsTable(): Promise<Began> {
  const cim =
    'Get-CimInstance Win32_Process -Property ProcessId,CreationDate | Where-Object CreationDate | ' +
    "ForEach-Object { '{0} {1}' -f $_.ProcessId, $_.CreationDate.ToUniversalTime().Ticks }";
  const shell = join(windowsFolder(), 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
  const flags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', cim];
  return readCimTable((await run(shell, flags, execOptions)).stdout);
}

/** Ticks (100 ns) between the year 1 and 1970. */
const ticksTo1970 = 621_355_968_000_000_000n;

/**
 * Parses `PID TICKS` per line, in UTC, to µs since 1970. Exported for tests. Throws AppError `internal` if there is no
 * line, because our own process is always listed.
 */
export function readCimTable(text: string): Began {
  const rows = [...text.matchAll(/^(\d+) (\d{15,19})\r?$/gm)];
  if (rows.length === 0) throw new AppError('internal', 'The operating system listed no processes.');
  return new Map(rows.map(([, pid, ticks]) => [Number(pid), String((BigInt(ticks as string) - ticksTo1970) / 10n)]));
}

async function endWindowsTree(pid: number): Promise<void> {
  const taskkill = join(windowsFolder(), 'System32', 'taskkill.exe');
  await run(taskkill, ['/pid', String(pid), '/T', '/F'], execOptions).catch(() => undefined);
}

/** A process's start time as a unique text (Linux); undefined if there is none. */
function beganAt(pid: number): string | undefined {
  const row = readProcessSync(pid);
  if (row === undefined || row.isGone) return undefined;
  try {
    // The time is relative to the boot, which has its own id.
    return `${row.began} ${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
  } catch {
    return undefined;
  }
}

async function endGroup(pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    try {
      process.kill(-pid, signal);
    } catch {
      return;
    }
    for (const end = performance.now() + graceMs; isGroupAlive(pid) && performance.now() < end;) await sleep(20);
  }
}

// Whether anything still runs in a process group (POSIX).

/** Whether a process of the group is running. Zombies do not count. */
export function isGroupAlive(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
  } catch {
    // ESRCH: no members. EPERM: macOS reports it for a group of zombies, and other users' processes cannot be ended.
    return false;
  }
  return process.platform !== 'linux' || hasRunningMember(groupId);
}

/** In a container whose first process does not reap, zombies stay in the group; /proc distinguishes them. */
function hasRunningMember(groupId: number): boolean {
  try {
    return readdirSync('/proc').some((name) => {
      const row = /^\d/.test(name) ? readProcessSync(Number(name)) : undefined;
      return row !== undefined && row.group === groupId && !row.isGone;
    });
  } catch {
    return true;
  }
}
