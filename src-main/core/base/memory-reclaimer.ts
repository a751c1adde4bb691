/**
 * Gives memory back once what took it is over: an answer of hundreds of megabytes that has gone to disk, a load of
 * calls, thousands of sessions. A core that is idle collects nothing by itself, and what it has collected stays its own
 * until it is under pressure.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Fewer bytes are left to V8's own time. */
const minReclaimBytes = 32 * 1024 * 1024;
/** More may be right behind, in ms. */
const defaultQuietMs = 2000;

export class MemoryReclaimer {
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #lastAt = 0;

  /** Collects garbage after this many ms without a release. */
  constructor(quietMs = defaultQuietMs) {
    this.#quietMs = quietMs;
  }

  /** Notes that about this many bytes were released. Returns at once. */
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

/**
 * A whole collection that keeps no pages for later. It takes as long as what lives is large: that of a core is small.
 */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (how: object) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
