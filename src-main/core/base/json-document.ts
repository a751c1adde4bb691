/**
 * A small JSON document that several processes read and change: a private file here; other editions may store it as a
 * database row.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { writeFileAtomic } from './atomic-file.ts';
import { Emitter } from './emitter.ts';
import { withSqliteLock } from './file-lock.ts';

export interface JsonDocument {
  /**
   * Emits when the content may have changed. A file is watched from `start` to `stop`; a database notifies by itself.
   */
  readonly changed: Emitter;
  /** Undefined if there is none, or invalid JSON. Never rejects. */
  read(): Promise<unknown>;
  /**
   * Changes run one after another, across processes. `change` receives the current content, perhaps more than once;
   * nothing is written if it returns the same content. Rethrows what `change` or the file system throws, or AppError
   * `store_unreachable`.
   */
  change<R>(change: (value: unknown) => readonly [next: unknown, answer: R]): Promise<R>;
  start(): Promise<void>;
  /** Call it after `start` has resolved. */
  stop(): Promise<void>;
}

/** A document that exists only in this process. */
export class MemoryJsonDocument implements JsonDocument {
  readonly changed = new Emitter();
  #value: unknown;

  read(): Promise<unknown> {
    return Promise.resolve(this.#value);
  }

  change<R>(change: (value: unknown) => readonly [next: unknown, answer: R]): Promise<R> {
    return Promise.resolve().then(() => {
      const [next, answer] = change(this.#value);
      this.#value = next;
      return answer;
    });
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

/** A private file (mode 0600), written under a lock. */
export class FileJsonDocument implements JsonDocument {
  readonly changed = new Emitter();
  readonly #file: string;
  readonly #empty: string;
  #watcher: FSWatcher | undefined;

  /** `empty`: the initial content of a missing file that is watched. */
  constructor(file: string, empty = '[]') {
    this.#file = file;
    this.#empty = empty;
  }

  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8')) as unknown;
    } catch {
      return undefined;
    }
  }

  async change<R>(change: (value: unknown) => readonly [next: unknown, answer: R]): Promise<R> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    return withSqliteLock(this.#file, async () => {
      const value = await this.read();
      const [next, answer] = change(value);
      // A damaged file may be repaired by hand.
      if (next !== value && value === undefined)
        await copyFile(this.#file, `${this.#file}.corrupt`).catch(() => undefined);
      if (next !== value) await writeFileAtomic(this.#file, JSON.stringify(next, null, 2), { mode: 0o600 });
      return answer;
    });
  }

  async start(): Promise<void> {
    await this.#ensureFile();
    const watcher = watch(this.#file, { ignoreInitial: true });
    this.#watcher = watcher;
    watcher.on('all', () => this.changed.emit());
    watcher.on('error', () => undefined);
    await new Promise((resolve) => watcher.once('ready', () => resolve(undefined)));
  }

  async stop(): Promise<void> {
    await this.#watcher?.close();
    this.#watcher = undefined;
  }

  /**
   * Creates a missing file, because otherwise its folder would have to be watched, and read after every write to other
   * files in it.
   */
  async #ensureFile(): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 }).catch(() => undefined);
    await writeFile(this.#file, this.#empty, { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  }
}
