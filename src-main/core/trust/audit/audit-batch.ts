/** Entries on their way into the log: the bounded, masked queue, and the chained and signed lines of one write. */
import { type Masker, CachingMasker } from '../../base/mask.ts';
import { type ChainLink, type ChainedLine, createHead, createLine, maxUnsigned } from './hash-chain.ts';
import { type AuditEntry, boundEntry, type LogMetaEntry } from './audit-entries.ts';
import type { AuditKeys } from './audit-keys.ts';

export interface PendingEntry {
  /** ms since 1970. */
  readonly at: number;
  readonly entry: AuditEntry;
}

export class PendingEntries {
  readonly #most: number;
  readonly #masker: CachingMasker;
  #notes: PendingEntry[] = [];
  #lost = 0;

  constructor(most: number, masker: Pick<Masker, 'maskText' | 'matchers'>) {
    this.#most = most;
    this.#masker = new CachingMasker(masker);
  }

  get notes(): readonly PendingEntry[] {
    return this.#notes;
  }

  /** Number of entries dropped since the last `take`. */
  get lost(): number {
    return this.#lost;
  }

  get isEmpty(): boolean {
    return this.#notes.length === 0 && this.#lost === 0;
  }

  /** When the queue is full, calls are dropped first: they are frequent, and a decision cannot be reconstructed. */
  add({ at, entry }: PendingEntry): void {
    this.#notes.push({ at, entry: boundEntry(entry, (text) => this.#masker.maskText(text)) });
    if (this.#notes.length <= this.#most) return;
    const call = this.#notes.findIndex(({ entry }) => entry.kind === 'call');
    this.#notes.splice(Math.max(0, call), 1);
    this.#lost++;
  }

  /** Removes and returns the oldest entries, at most `most`. */
  take(most = Infinity): { readonly notes: readonly PendingEntry[]; readonly lost: number } {
    const taken = { notes: this.#notes.slice(0, most), lost: this.#lost };
    this.#notes = this.#notes.slice(taken.notes.length);
    this.#lost = 0;
    return taken;
  }
}

/** The lines of one write. */
export class AuditBatch {
  unsigned: number;
  lastHead: (ChainLink & { readonly at: number }) | undefined;
  /** Each ends with a line feed. */
  readonly lines: string[] = [];
  readonly #keys: AuditKeys | undefined;
  readonly #now: () => number;
  #link: ChainLink;

  constructor(link: ChainLink, unsigned: number, keys: AuditKeys | undefined, now: () => number) {
    this.#link = link;
    this.unsigned = unsigned;
    this.#keys = keys;
    this.#now = now;
  }

  get link(): ChainLink {
    return this.#link;
  }

  add(entry: AuditEntry | LogMetaEntry, at: number = this.#now()): void {
    this.#put(createLine(this.#link, at, entry));
    this.unsigned++;
    if (this.unsigned >= maxUnsigned) this.head();
  }

  notes(notes: readonly PendingEntry[]): void {
    for (const { entry, at } of notes) this.add(entry, at);
  }

  /** Adds a signed head. Without a key it adds nothing; the next head covers these records. */
  head(): void {
    if (this.#keys === undefined) return;
    const at = this.#now();
    const line = createHead(this.#link, at, this.#keys);
    this.#put(line);
    this.unsigned = 0;
    this.lastHead = { seq: line.seq, hash: line.hash, at };
  }

  #put(line: ChainedLine): void {
    this.lines.push(line.text);
    this.#link = { seq: line.seq, hash: line.hash };
  }
}
