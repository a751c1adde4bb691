/** Lets a bounded number of tasks run at once; the others wait in line. */

export class StartSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Aborting `hurry` lets the task leave the line and run beside those that have a slot. */
  async run<T>(task: () => Promise<T>, hurry?: AbortSignal): Promise<T> {
    const hasSlot = await this.#slot(hurry);
    try {
      return await task();
    } finally {
      if (hasSlot) this.#release();
    }
  }

  #slot(hurry: AbortSignal | undefined): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(true);
    }
    if (hurry?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const take = (): void => {
        hurry?.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.delete(take);
        resolve(false);
      };
      this.#waiting.add(take);
      hurry?.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
