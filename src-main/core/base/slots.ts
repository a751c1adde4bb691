/** Lets a bounded number of things be under way at once; the others wait in line. */

export class Slots {
  #free: number;
  readonly #line = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Resolves with true once a slot is held, with false when the signal is aborted while none is free. */
  take(signal?: AbortSignal): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(true);
    }
    if (signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#line.delete(enter);
        resolve(false);
      };
      this.#line.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Gives a slot back, to whoever is first in line. */
  release(): void {
    const [next] = this.#line;
    if (next === undefined) this.#free++;
    else this.#line.delete(next);
    next?.();
  }
}
