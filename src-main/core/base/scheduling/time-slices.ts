/** Long work in the core's thread, split into slices, because messages of all client apps pass through this thread. */
import { setImmediate as others } from 'node:timers/promises';

/** Maximum time without a turn of the event loop, in ms, unless a single step takes longer. */
const sliceMs = 8;

export class TimeSlices {
  #started = performance.now();
  #spentMs = 0;

  /** Await it between two steps: yields once a slice is used up. */
  async next(): Promise<void> {
    const now = performance.now();
    if (now - this.#started < sliceMs) return;
    this.#spentMs += now - this.#started;
    await others();
    this.#started = performance.now();
  }

  /** Duration of the steps so far, in ms, without yielded time. */
  get spentMs(): number {
    return this.#spentMs + performance.now() - this.#started;
  }
}
