/** Long work in the core's thread, done in slices: the messages of all client apps go through this thread. */
import { setImmediate as others } from 'node:timers/promises';

/** Longest time without a turn of the event loop, in ms, if no single step takes longer. */
const sliceMs = 8;

export class TimeSlices {
  #started = performance.now();
  #spentMs = 0;

  /** To be awaited between two steps: lets others run once a slice is used up. */
  async next(): Promise<void> {
    const now = performance.now();
    if (now - this.#started < sliceMs) return;
    this.#spentMs += now - this.#started;
    await others();
    this.#started = performance.now();
  }

  /** How long the steps so far took, in ms, without the turns of others. */
  get spentMs(): number {
    return this.#spentMs + performance.now() - this.#started;
  }
}
