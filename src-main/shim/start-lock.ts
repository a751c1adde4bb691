/** A file that says "I am starting the core": keeps ten shims from starting ten. The core itself makes sure that only one stays. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** Older ones belong to a process that hangs, or whose number somebody else has now. */
const longestHeldMs = 60_000;

export class StartLock implements Disposable {
  readonly #file: string;
  #mine = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Whether it is ours now; takes over the lock of a process that is gone. */
  take(): boolean {
    if (this.#mine) return true;
    if (this.#abandoned()) rmSync(this.#file, { force: true });
    try {
      writeFileSync(this.#file, String(process.pid), { flag: 'wx', mode: 0o600 });
      this.#mine = true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return this.#mine;
  }

  [Symbol.dispose](): void {
    if (this.#mine) rmSync(this.#file, { force: true });
    this.#mine = false;
  }

  #abandoned(): boolean {
    try {
      const age = Date.now() - statSync(this.#file).mtimeMs;
      const holder = Number(readFileSync(this.#file, 'utf8'));
      // No number yet: its maker is between creating and writing it.
      return age > longestHeldMs || (holder > 0 && !isAlive(holder));
    } catch {
      return false;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
