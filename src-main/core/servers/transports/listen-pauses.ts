/**
 * Decides when the stream for unsolicited messages is reopened. Some servers end it at once: after an empty stream the
 * pause grows, and nothing is opened before the connection is used.
 */
import { settleWithin } from '../../base/settle-within.ts';

/** A stream that lasted this long was not empty, in ms; proxies end idle streams after about a minute. */
const stableMs = 30_000;

interface PauseLimits {
  /** The first pause, in ms; it doubles after each empty stream. */
  readonly firstMs: number;
  readonly maxMs: number;
}

export class ListenPauses {
  readonly #limits: PauseLimits;
  /** `performance.now()` when the last one was opened. */
  #openedAt: number | undefined;
  #broughtSomething = false;
  #briefStreams = 0;
  #used = Promise.withResolvers<void>();

  constructor(limits: PauseLimits) {
    this.#limits = limits;
  }

  /** Resolves when the stream may be opened. Rejects when the signal is aborted. */
  async turn(signal: AbortSignal | undefined): Promise<void> {
    const { firstMs, maxMs } = this.#limits;
    const lasted = this.#openedAt === undefined ? Infinity : performance.now() - this.#openedAt;
    if (this.#broughtSomething || lasted > stableMs) this.#briefStreams = 0;
    else {
      this.#briefStreams++;
      const pauseMs = Math.min(firstMs * 2 ** (this.#briefStreams - 1), maxMs);
      const aborted = Promise.withResolvers<void>();
      const end = (): void => aborted.resolve();
      signal?.addEventListener('abort', end, { once: true });
      await settleWithin(aborted.promise, pauseMs);
      if (signal?.aborted !== true) await Promise.race([this.#used.promise, aborted.promise]);
      signal?.removeEventListener('abort', end);
    }
    signal?.throwIfAborted();
    // A rejected or failed request says nothing about the duration of streams.
    this.#openedAt = undefined;
    this.#broughtSomething = false;
    this.#used = Promise.withResolvers();
  }

  opened(): void {
    this.#openedAt = performance.now();
  }

  /** Records that the stream carried a message or a retry time. */
  broughtSomething(): void {
    this.#broughtSomething = true;
  }

  /** Records that the connection was used. */
  used(): void {
    this.#used.resolve();
  }
}
