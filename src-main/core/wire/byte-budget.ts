/**
 * What half-read messages and unread output may take of the memory together, over all lines of a core. A limit a line is
 * not enough: a few of them at theirs would be more than the machine has. Who holds most gives way, not who comes last.
 */
import { totalmem } from 'node:os';

export interface ByteHolder {
  /** Gives up what it holds. Called once; it may hold something anew. */
  drop(): void;
}

export class ByteBudget {
  readonly most: number;
  readonly #held = new Map<ByteHolder, number>();
  #total = 0;

  /** `most`: bytes that all holders may have together. */
  constructor(most: number) {
    this.most = most;
  }

  /** Bytes held now. */
  get total(): number {
    return this.#total;
  }

  /** What this one holds from now on, in bytes; 0: nothing. */
  set(holder: ByteHolder, bytes: number): void {
    this.#total += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    while (this.#total > this.most && this.#held.size > 0) this.#dropLargest();
  }

  #dropLargest(): void {
    const [largest, bytes] = [...this.#held].reduce((most, one) => (one[1] > most[1] ? one : most));
    this.#held.delete(largest);
    this.#total -= bytes;
    largest.drop();
  }
}

/** The budgets of a core, for its lines to servers and to client apps alike. */
export interface LineBudgets {
  /** Long messages that have not come whole. */
  readonly unfinished: ByteBudget;
  /** What was written and not read. */
  readonly unread: ByteBudget;
}

const mostBytes = 1024 * 1024 * 1024;

export function lineBudgets(): LineBudgets {
  const most = Math.min(mostBytes, totalmem() / 4);
  return { unfinished: new ByteBudget(most), unread: new ByteBudget(most) };
}
