/** Lets a bounded number of servers start at once; the others wait in line, unless somebody needs them now. */
import { Slots } from '../base/slots.ts';

export class StartSlots {
  readonly #slots: Slots;

  constructor(slots: number) {
    this.#slots = new Slots(slots);
  }

  /** Aborting `hurry` lets the task leave the line and run beside those that have a slot. */
  async run<T>(task: () => Promise<T>, hurry?: AbortSignal): Promise<T> {
    const hasSlot = await this.#slots.take(hurry);
    try {
      return await task();
    } finally {
      if (hasSlot) this.#slots.release();
    }
  }
}
