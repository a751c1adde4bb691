/**
 * Sums that wait to be written: added up in memory, written in batches, and tried again while the database cannot be
 * had.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../base/log.ts';
import type { Masker } from '../../base/mask.ts';
import { startOfHour } from '../local-time.ts';
import { addAmounts, type LedgerEntry } from './ledger-entry.ts';
import { addRows, type LedgerBounds, type LedgerRow, trimLedger } from './ledger-table.ts';

/** The activity database, opened when it is used. */
export interface LedgerDatabase {
  use<T>(work: (database: DatabaseSync) => T): T;
}

interface LedgerRowsOptions {
  readonly store: LedgerDatabase;
  readonly masker: Pick<Masker, 'maskText'>;
  readonly log: Log;
  readonly bounds: LedgerBounds;
  readonly now: () => number;
}

export interface LedgerOwner {
  readonly id: string;
  /** User in a team. */
  readonly user?: string | undefined;
  readonly app: string;
  readonly mode: string;
}

const flushIntervalMs = 1000;
const maxRetryDelayMs = 60_000;
/** Sums held in memory while the database cannot be written. */
const maxPendingEntries = 5000;
const writesPerTrim = 50;
const maxNameLength = 300;

export class LedgerBuffer {
  readonly #options: LedgerRowsOptions;
  readonly #waiting = new Map<string, LedgerRow>();
  #timer: NodeJS.Timeout | undefined;
  #retryMs = 0;
  #writes = 0;
  #closed = false;

  constructor(options: LedgerRowsOptions) {
    this.#options = options;
  }

  /** `at`: when it happened, in ms since the epoch. */
  add(entries: readonly LedgerEntry[], owner: LedgerOwner, at: number): void {
    if (this.#closed) return;
    const hour = startOfHour(at);
    for (const entry of entries) {
      const key = JSON.stringify([hour, owner.id, owner.app, owner.mode, entry.server, entry.tool, entry.cause]);
      const before = this.#waiting.get(key);
      if (before !== undefined) this.#waiting.set(key, { ...before, ...addAmounts(before, entry) });
      else if (this.#waiting.size < maxPendingEntries) this.#waiting.set(key, this.#row(entry, owner, hour));
    }
    this.#timer ??= setTimeout(() => this.flush(), Math.max(flushIntervalMs, this.#retryMs)).unref();
  }

  /** Writes what waits, now. Never throws: what cannot be written is tried again. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    const { store, bounds, now, log } = this.#options;
    try {
      store.use((database) => addRows(database, [...this.#waiting.values()]));
      this.#waiting.clear();
      this.#retryMs = 0;
      if (this.#writes++ % writesPerTrim === 0) store.use((database) => trimLedger(database, bounds, now()));
    } catch (error) {
      if (this.#retryMs === 0) log.warn('The savings ledger cannot be written; trying again.', { error });
      this.#retryMs = Math.min(maxRetryDelayMs, Math.max(flushIntervalMs, this.#retryMs * 2));
      this.#timer = setTimeout(() => this.flush(), this.#retryMs).unref();
    }
  }

  /** Writes what waits; what comes after is lost. */
  close(): void {
    this.#closed = true;
    this.flush();
    clearTimeout(this.#timer);
  }

  /** Names come from servers and apps: they may hold a secret, be endless, or hold half a surrogate pair. */
  #row(entry: LedgerEntry, { id, user, app, mode }: LedgerOwner, hour: number): LedgerRow {
    const clean = (text: string): string => this.#options.masker.maskText(text).slice(0, maxNameLength).toWellFormed();
    return {
      ...entry,
      hour,
      session: clean(id),
      user: user === undefined ? undefined : clean(user),
      app: clean(app),
      mode: clean(mode),
      server: clean(entry.server),
      tool: clean(entry.tool),
    };
  }
}
