/**
 * The processes that a core has started, on disk. A core that is killed ends nobody: a server that does not mind its input
 * being closed goes on, and holds its port or its lock. The next core reads the lists of cores that are no more and ends
 * who is still there. A number alone may be anybody's by then; together with when its process began it is one process's.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGroupAlive } from './group-alive.ts';

const namePattern = /^children-\d+\.list$/;
/** How long somebody has to end after SIGTERM, in ms. */
const graceMs = 1000;

export class ChildrenList {
  readonly #file: string;
  #open = false;
  #usable = process.platform !== 'win32';

  /** One for each core: several may live in a home. On Windows there is none: nothing there tells whose a number is at once. */
  constructor(folder: string) {
    this.#file = join(folder, `children-${process.pid}.list`);
  }

  add(pid: number): void {
    const begun = beganAt(pid);
    if (begun !== undefined) this.#write(`+${pid} ${begun}\n`);
  }

  delete(pid: number): void {
    if (this.#open) this.#write(`-${pid}\n`);
  }

  /** Nobody is left to be ended. */
  close(): void {
    if (this.#open) rmSync(this.#file, { force: true });
    this.#open = false;
  }

  /** A line at a time, so that a kill in the middle loses no more than the last one. */
  #write(line: string): void {
    if (!this.#usable) return;
    try {
      if (!this.#open) {
        rmSync(this.#file, { force: true });
        appendFileSync(this.#file, `core ${process.pid} ${beganAt(process.pid) ?? ''}\n`, { mode: 0o600 });
        this.#open = true;
      }
      appendFileSync(this.#file, line);
    } catch {
      // A full disk must not keep a server from starting.
      this.#usable = false;
    }
  }
}

/** Ends what cores that are no more have left running. Resolves with the number of groups that were still there. Never rejects. */
export async function endLeftChildren(folder: string): Promise<number> {
  const lists = readLists(folder);
  const left = lists.flatMap(({ children }) => [...children]).filter(([pid, begun]) => beganAt(pid) === begun);
  await Promise.all(left.map(([pid]) => endGroup(pid)));
  for (const { file } of lists) rmSync(file, { force: true });
  return left.length;
}

interface LeftList {
  readonly file: string;
  /** When each began, by its number. */
  readonly children: ReadonlyMap<number, string>;
}

/** Those of cores that have ended. */
function readLists(folder: string): LeftList[] {
  if (process.platform === 'win32') return [];
  try {
    return readdirSync(folder).flatMap((name) => {
      const list = namePattern.test(name) ? readList(join(folder, name)) : undefined;
      return list === undefined ? [] : [list];
    });
  } catch {
    return [];
  }
}

function readList(file: string): LeftList | undefined {
  const [first = '', ...lines] = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const core = /^core (\d+) (.+)$/.exec(first);
  if (core !== null && beganAt(Number(core[1])) === core[2]) return undefined;
  const children = new Map<number, string>();
  for (const line of lines) {
    const added = /^\+(\d+) (.+)$/.exec(line);
    if (added !== null) children.set(Number(added[1]), added[2] as string);
    else children.delete(Number(line.slice(1)));
  }
  return { file, children };
}

/** When a process began, in words that fit no other; undefined where there is none. */
function beganAt(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      const began = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000 });
      return began.trim() === '' ? undefined : began.trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): behind the name in brackets, the twentieth is the time since the system's start, which has an id of its own.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return `${fields[18] ?? ''} ${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
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
