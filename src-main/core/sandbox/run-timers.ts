/** The timers of one run: its own end, and those that the code sets, none of which outlasts it. */
import type { Refusal } from './worker-messages.ts';

const most = 1000;

export class RunTimers {
  readonly #timers = new Set<NodeJS.Timeout>();
  #deadline: NodeJS.Timeout | undefined;

  /** No timer of the code is open. */
  get isIdle(): boolean {
    return this.#timers.size === 0;
  }

  setDeadline(ms: number, then: () => void): void {
    this.#deadline = setTimeout(then, ms);
  }

  set(ms: number, then: () => void): Refusal | undefined {
    if (this.#timers.size >= most) return { code: 'TOO_MUCH_OPEN', message: `More than ${most} timers are open.` };
    const run = (): void => {
      this.#timers.delete(timer);
      then();
    };
    // Longer than any run; Node takes what is too long for 1 ms.
    const timer = setTimeout(run, Math.min(Math.max(0, ms), 1e9));
    this.#timers.add(timer);
    return undefined;
  }

  clear(): void {
    for (const timer of [...this.#timers, this.#deadline]) clearTimeout(timer);
    this.#timers.clear();
  }
}
