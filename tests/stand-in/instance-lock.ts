/** The single-instance lock: one process per folder; a second one passes on its arguments and exits. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Tell = (argv: string[], folder: string) => void;

export class InstanceLock {
  readonly #file: string;
  readonly #letters: string;
  readonly #onSecond: Tell;

  constructor(folder: string, onSecond: Tell) {
    this.#file = join(folder, 'stand-in.lock');
    this.#letters = join(folder, 'stand-in.letters');
    this.#onSecond = onSecond;
    mkdirSync(this.#letters, { recursive: true });
  }

  take(): boolean {
    if (this.#isHeld()) {
      this.#write();
      return false;
    }
    writeFileSync(this.#file, String(process.pid));
    process.on('exit', () => rmSync(this.#file, { force: true }));
    watch(this.#letters, () => this.#read()).unref();
    return true;
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }

  #isHeld(): boolean {
    try {
      const holder = Number(readFileSync(this.#file, 'utf8'));
      return holder !== process.pid && process.kill(holder, 0);
    } catch {
      return false;
    }
  }

  #write(): void {
    const draft = join(this.#letters, `${process.pid}.draft`);
    writeFileSync(draft, JSON.stringify({ argv: process.argv, folder: process.cwd() }));
    renameSync(draft, join(this.#letters, `${process.pid}.json`));
  }

  #read(): void {
    for (const name of readdirSync(this.#letters).filter((one) => one.endsWith('.json'))) {
      const file = join(this.#letters, name);
      const { argv, folder } = JSON.parse(readFileSync(file, 'utf8')) as { argv: string[]; folder: string };
      rmSync(file);
      this.#onSecond(argv, folder);
    }
  }
}
