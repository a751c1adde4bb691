/** Notes on their way into the log: what waits, bounded and masked, and the lines of one write, chained and signed. */
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

  /** Were too many to be held since the last `take`. */
  get lost(): number {
    return this.#lost;
  }

  get isEmpty(): boolean {
    return this.#notes.length === 0 && this.#lost === 0;
  }

  /** Calls give way first: there are many of them, and a decision cannot be had again. */
  add({ at, entry }: PendingEntry): void {
    this.#notes.push({ at, entry: boundEntry(entry, (text) => this.#masker.maskText(text)) });
    if (this.#notes.length <= this.#most) return;
    const call = this.#notes.findIndex(({ entry }) => entry.kind === 'call');
    this.#notes.splice(Math.max(0, call), 1);
    this.#lost++;
  }

  /** The oldest, so many at the most; they wait no more. */
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
  /** Each with its line feed. */
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

  /** Without a key nothing is signed; the next head signs it all. */
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
