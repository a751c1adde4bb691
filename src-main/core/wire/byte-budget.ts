/**
 * Limits the memory of partly read messages and unread output over all connections of a core, because a few
 * connections at their limit could exceed the machine's memory. The largest holder is dropped, not the latest.
 */
import { totalmem } from 'node:os';
import { MemoryReclaimer } from '../base/memory-reclaimer.ts';

export interface ByteHolder {
  /** Releases what it holds. Called once; it may hold something again later. */
  drop(): void;
}

export class ByteBudget {
  readonly maxBytes: number;
  readonly #held = new Map<ByteHolder, number>();
  readonly #onReleased: ((bytes: number) => void) | undefined;
  #total = 0;

  /** `most`: maximum number of bytes of all holders. `onReleased`: called with the number of released bytes. */
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

/** The budgets of a core, for connections to servers and client apps. */
export interface ConnectionBudgets {
  /** Long messages that are incomplete. */
  readonly unfinished: ByteBudget;
  /** Output that the other side has not read. */
  readonly unread: ByteBudget;
}

/** Longer than a closing connection keeps its socket (stream-transport.ts), in ms. */
const quietMs = 3000;

const maxBytes = 1024 * 1024 * 1024;

export function createConnectionBudgets(): ConnectionBudgets {
  const most = Math.min(maxBytes, totalmem() / 4);
  // Collected after sockets are destroyed, which hold written data until then.
  const memory = new MemoryReclaimer(quietMs);
  const released = (bytes: number): void => memory.noteReleased(bytes);
  return { unfinished: new ByteBudget(most, released), unread: new ByteBudget(most, released) };
}
