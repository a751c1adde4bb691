/**
 * A small process beside a runner that ends children in time where the runner cannot: it was killed, or it sleeps while the right to run
 * them goes on to another one. It knows process ids, times and how containers are removed, nothing else, and has no variables.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { StartedContainer } from '../../core/servers/launch/process-group.ts';

/** How often the guard looks, in ms. */
const everyMs = 50;

interface Guarded {
  readonly end: number;
  readonly container: StartedContainer | undefined;
}

export class ProcessGuard {
  readonly #children = new Map<number, Guarded>();
  #guard: ChildProcess | undefined;
  #stopped = false;

  /** The group of this leader may run for so long from now on, in ms, and what it has in a container; said anew it counts anew. */
  allow(pid: number, ms: number, container?: StartedContainer): void {
    if (this.#stopped) return;
    const isKnown = this.#children.has(pid);
    const child = { end: monotonicMs() + ms, container };
    this.#children.set(pid, child);
    if (this.#guard === undefined) this.#start();
    else this.#say(pid, child.end, isKnown ? undefined : container);
  }

  /** It has ended, and its number may be another's. */
  forget(pid: number): void {
    if (this.#children.delete(pid)) this.#say(pid, 0);
  }

  stop(): void {
    this.#stopped = true;
    this.#guard?.stdin?.end();
    this.#guard = undefined;
  }

  #start(): void {
    const guard = spawn(process.execPath, ['-e', `(${guardProgram.toString()})(${everyMs})`], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      // A terminal's Ctrl+C is for the runner, which ends in order.
      detached: true,
    });
    guard.unref();
    guard.stdin.on('error', () => undefined);
    guard.on('error', () => undefined);
    guard.once('exit', () => {
      if (this.#guard !== guard) return;
      this.#guard = undefined;
      if (this.#children.size > 0 && !this.#stopped) this.#start();
    });
    this.#guard = guard;
    for (const [pid, { end, container }] of this.#children) this.#say(pid, end, container);
  }

  #say(pid: number, end: number, container?: StartedContainer): void {
    this.#guard?.stdin?.write(`${JSON.stringify({ pid, end: Math.floor(end), container })}\n`);
  }
}

/** The same for all processes of this computer, and never set. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Runs alone, from its text: it may use nothing of this file. */
function guardProgram(everyMs: number): void {
  interface Told {
    readonly pid: number;
    readonly end: number;
    readonly container?: StartedContainer;
  }
  const { spawn: start } = process.getBuiltinModule('node:child_process');
  const ends = new Map<number, number>();
  const containers = new Map<number, StartedContainer>();
  let rest = '';
  const forget = (pid: number): void => {
    ends.delete(pid);
    containers.delete(pid);
  };
  const run = (program: string, args: readonly string[], env: StartedContainer['env']): Promise<void> =>
    new Promise((resolve) => {
      const child = start(program, [...args], { env: { ...env }, stdio: 'ignore' });
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
  // The program that started one is in the group; the container is not. Podman's `rm -f` alone would wait ten seconds.
  const remove = async (all: readonly StartedContainer[]): Promise<void> => {
    const [first] = all;
    if (first === undefined) return;
    const alike = all.filter(({ program }) => program === first.program);
    const names = alike.map(({ name }) => name);
    for (const how of [['kill'], ['rm', '-f']])
      await run(first.program, [...first.options, ...how, ...names], first.env);
    await remove(all.filter((one) => !alike.includes(one)));
  };
  const endGroups = (pids: readonly number[]): Promise<void> => {
    const left = pids.flatMap((pid) => containers.get(pid) ?? []);
    for (const pid of pids) {
      forget(pid);
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    return remove(left);
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { pid, end, container } = JSON.parse(line) as Told;
      if (end === 0) forget(pid);
      else ends.set(pid, end);
      if (end !== 0 && container !== undefined) containers.set(pid, container);
    }
  });
  process.stdin.on('end', () => {
    void endGroups([...ends.keys()]).finally(() => process.exit(0));
  });
  setInterval(() => {
    const now = Number(process.hrtime.bigint() / BigInt(1e6));
    const over = [...ends].filter(([, end]) => now >= end).map(([pid]) => pid);
    if (over.length > 0) void endGroups(over);
  }, everyMs);
}
