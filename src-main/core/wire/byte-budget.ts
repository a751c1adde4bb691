/**
 * Limits the memory of partly read messages and unread output over all connections of a core. A limit per connection is
 * not enough: a few at their limit would exceed the machine's memory. The largest holder gives way, not the latest.
 */
import { totalmem } from 'node:os';
import { MemoryReclaimer } from '../base/memory-reclaimer.ts';

export interface ByteHolder {
  /** Gives up what it holds. Called once; it may hold something again. */
  drop(): void;
}

export class ByteBudget {
  readonly maxBytes: number;
  readonly #held = new Map<ByteHolder, number>();
  readonly #onReleased: ((bytes: number) => void) | undefined;
  #total = 0;

  /** `most`: bytes that all holders may have together. `onReleased`: so many bytes are not held any more. */
  constructor(most: number, onReleased?: (bytes: number) => void) {
    this.maxBytes = most;
    this.#onReleased = onReleased;
  }

  /** Number of bytes currently held. */
  get total(): number {
    return this.#total;
  }

  /** Sets the bytes that this holder now uses; 0 removes it. */
  set(holder: ByteHolder, bytes: number): void {
    const more = bytes - (this.#held.get(holder) ?? 0);
    this.#total += more;
    if (more < 0) this.#onReleased?.(-more);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    while (this.#total > this.maxBytes && this.#held.size > 0) this.#dropLargest();
  }

  #dropLargest(): void {
    const [largest, bytes] = [...this.#held].reduce((most, one) => (one[1] > most[1] ? one : most));
    this.#held.delete(largest);
    this.#total -= bytes;
    this.#onReleased?.(bytes);
    largest.drop();
  }
}

/** The budgets of a core, for its lines to servers and to client apps alike. */
export interface ConnectionBudgets {
  /** Long messages that have not come whole. */
  readonly unfinished: ByteBudget;
  /** Output that was written but not read. */
  readonly unread: ByteBudget;
}

/** Longer than a line that ends keeps its socket (stream-transport.ts), in ms. */
const quietMs = 3000;

const maxBytes = 1024 * 1024 * 1024;

export function createConnectionBudgets(): ConnectionBudgets {
  const most = Math.min(maxBytes, totalmem() / 4);
  // Collected once the sockets are destroyed, which holds what was written to them until then.
  const memory = new MemoryReclaimer(quietMs);
  const released = (bytes: number): void => memory.noteReleased(bytes);
  return { unfinished: new ByteBudget(most, released), unread: new ByteBudget(most, released) };
}
