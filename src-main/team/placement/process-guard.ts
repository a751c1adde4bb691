/**
 * A small process beside a runner that ends children in time where the runner cannot: it was killed, or it sleeps while the right to run
 * them goes on to another one. It knows process ids and times, nothing else, and has no variables.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/** How often the guard looks, in ms. */
const everyMs = 50;

export class ProcessGuard {
  readonly #ends = new Map<number, number>();
  #guard: ChildProcess | undefined;
  #stopped = false;

  /** The group of this leader may run for so long from now on, in ms; said anew it counts anew. */
  allow(pid: number, ms: number): void {
    if (this.#stopped) return;
    const end = monotonicMs() + ms;
    this.#ends.set(pid, end);
    if (this.#guard === undefined) this.#start();
    else this.#say(pid, end);
  }

  /** It has ended, and its number may be another's. */
  forget(pid: number): void {
    if (this.#ends.delete(pid)) this.#say(pid, 0);
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
      if (this.#ends.size > 0 && !this.#stopped) this.#start();
    });
    this.#guard = guard;
    for (const [pid, end] of this.#ends) this.#say(pid, end);
  }

  #say(pid: number, end: number): void {
    this.#guard?.stdin?.write(`${pid} ${Math.floor(end)}\n`);
  }
}

/** The same for all processes of this computer, and never set. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Runs alone, from its text: it may use nothing of this file. */
function guardProgram(everyMs: number): void {
  const ends = new Map<number, number>();
  let rest = '';
  const endGroup = (pid: number): void => {
    ends.delete(pid);
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [pid = 0, end = 0] = line.split(' ').map(Number);
      if (end === 0) ends.delete(pid);
      else ends.set(pid, end);
    }
  });
  process.stdin.on('end', () => {
    for (const pid of [...ends.keys()]) endGroup(pid);
    process.exit(0);
  });
  setInterval(() => {
    const now = Number(process.hrtime.bigint() / BigInt(1e6));
    for (const [pid, end] of [...ends]) if (now >= end) endGroup(pid);
  }, everyMs);
}
