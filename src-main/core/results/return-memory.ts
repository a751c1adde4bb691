/** Gives the memory of an answer of hundreds of megabytes back once it has gone to disk: a core that is idle collects nothing by itself. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Answers of fewer bytes are left to V8's own time. */
const worthwhile = 32 * 1024 * 1024;
/** Another big answer may be right behind, in ms. */
const quietMs = 2000;

export class ReturnMemory {
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(quiet = quietMs) {
    this.#quietMs = quiet;
  }

  /** To be told of each answer that has been let go. */
  released(bytes: number): void {
    if (bytes < worthwhile) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(collect, this.#quietMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** A whole collection, which takes as long as the heap is large: that of the core is small, the answers lie outside of it. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  gc();
}
