/** How often kept answers were asked for: counted at once, written down now and then. */
import type { SpillRead } from './spill-index.ts';

const flushMs = 1_000;

export class ReadCounts {
  readonly #write: (reads: readonly SpillRead[]) => void;
  readonly #now: () => number;
  readonly #reads = new Map<string, { times: number; at: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (reads: readonly SpillRead[]) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  add(id: string): void {
    this.#reads.set(id, { times: (this.#reads.get(id)?.times ?? 0) + 1, at: Math.trunc(this.#now()) });
    this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#reads.size === 0) return;
    const reads = [...this.#reads].map(([id, read]) => ({ id, ...read }));
    this.#reads.clear();
    this.#write(reads);
  }
}
