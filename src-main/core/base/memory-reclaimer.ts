/**
 * Returns memory after large amounts were released: a result of hundreds of megabytes that was spilled, a burst of
 * calls, thousands of sessions. An idle core does not collect garbage by itself, and V8 keeps collected memory until
 * it is under pressure.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Smaller amounts are left to V8, in bytes. */
const minReclaimBytes = 32 * 1024 * 1024;
/** Delay, because more may follow, in ms. */
const defaultQuietMs = 2000;

export class MemoryReclaimer {
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #lastAt = 0;

  /** Collects garbage after `quietMs` without a release. */
  constructor(quietMs = defaultQuietMs) {
    this.#quietMs = quietMs;
  }

  /** Records that about this many bytes were released. Returns at once. */
  noteReleased(bytes: number): void {
    this.#bytes += bytes;
    this.#lastAt = performance.now();
    if (this.#bytes >= minReclaimBytes) this.#timer ??= this.#look(this.#quietMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** One timer serves many calls: it is rescheduled if another call happened meanwhile. */
  #look(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left = this.#lastAt + this.#quietMs - performance.now();
      this.#timer = left > 0 ? this.#look(left) : undefined;
      if (left > 0) return;
      this.#bytes = 0;
      collect();
    }, ms).unref();
  }
}

/** A full collection that returns free pages. Its duration depends on the live memory, which is small in a core. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (how: object) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
