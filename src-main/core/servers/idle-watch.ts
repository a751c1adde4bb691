/** When a server that nobody uses may be stopped. */

// Notices that a server has not been used for a while.

interface IdleWatchOptions {
  /** How long is a while, in ms; undefined: never. */
  readonly idleMs: number | undefined;
  readonly now: () => number;
  /** Whether somebody is still waiting for it, however long ago they asked. */
  readonly isBusy: () => boolean;
  readonly onIdle: () => void;
}

export class IdleWatch {
  readonly #options: IdleWatchOptions;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  used(): void {
    this.#usedAt = this.#options.now();
  }

  /** Begins, or goes on; ends by itself when it has found the server idle. */
  start(): void {
    const { idleMs } = this.#options;
    this.used();
    if (idleMs === undefined || this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#look(idleMs), Math.max(10, idleMs / 4));
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(idleMs: number): void {
    const { now, isBusy, onIdle } = this.#options;
    if (now() - this.#usedAt < idleMs || isBusy()) return;
    this.stop();
    onIdle();
  }
}
