/** Tells whose a server's question is. Asking the wrong person is worse than not asking: what is unclear stays unanswered. */
import type { CallContext } from './call-context.ts';

/** How long an unclear question waits for the other sessions' calls to end. */
const patienceMs = 10_000;

export class CallsInFlight {
  readonly #calls = new Map<number, CallContext>();
  readonly #owner: (() => CallContext | undefined) | undefined;
  #waiting: (() => void)[] = [];

  constructor(owner?: () => CallContext | undefined) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#calls.size;
  }

  add(id: number, context: CallContext): void {
    this.#calls.set(id, context);
  }

  remove(id: number): void {
    if (!this.#calls.delete(id)) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** The session that something belongs to, if there is no doubt: by the stream it came on, the owner, or the only one calling. */
  whose(relatedRequestId: string | number | undefined): CallContext | undefined {
    const related = typeof relatedRequestId === 'number' ? this.#calls.get(relatedRequestId) : undefined;
    if (related !== undefined) return related;
    const owner = this.#owner?.();
    if (owner !== undefined) return this.#latest(owner.sessionId) ?? owner;
    const sessions = new Set([...this.#calls.values()].map((call) => call.sessionId));
    return sessions.size === 1 ? this.#latest() : undefined;
  }

  /** As `whose`, but waits a while for other sessions' calls to end when several could be meant. */
  async whoseRequest(
    relatedRequestId: string | number | undefined,
    signal: AbortSignal,
  ): Promise<CallContext | undefined> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const context = this.whose(relatedRequestId);
      const left = until - Date.now();
      if (context !== undefined || this.#calls.size === 0 || left <= 0 || signal.aborted) return context;
      await this.#change(left);
    }
  }

  #latest(sessionId?: string): CallContext | undefined {
    return [...this.#calls.values()].findLast((call) => sessionId === undefined || call.sessionId === sessionId);
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
