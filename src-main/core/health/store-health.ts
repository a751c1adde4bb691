/**
 * Tracks which stores cannot be written, since when and why. Every store reports the outcome of its writes; the
 * published state, `status`, `doctor` and empty tables show it.
 */
import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { systemFailure } from '../base/system-errors.ts';

export const storeNames = ['activity', 'spills', 'audit', 'log'] as const;
export type StoreName = (typeof storeNames)[number];

export interface StoreProblem {
  readonly store: StoreName;
  /** ms since 1970. */
  readonly since: number;
  /** `Activity cannot be written since 2026-11-27 22:31, because the disk is full.` */
  readonly summary: string;
  /** Fix, as a sentence. */
  readonly fix: string;
}

interface StoreHealthOptions {
  /** ms since 1970. */
  readonly now?: () => number;
  /** Interval of probes of a folder that cannot be written, in ms. */
  readonly retryMs?: number;
}

interface Failing {
  readonly since: number;
  readonly error: unknown;
  readonly folder: string;
}

/** Size of the probe file; a disk with less free space counts as full. */
const probeBytes = 1024 * 1024;

const subjects: Readonly<Record<StoreName, string>> = {
  activity: 'Activity',
  spills: 'Spilled results',
  audit: 'The audit log',
  log: 'The log',
};

export class StoreHealth {
  /** Emits when a store starts to fail, or recovers. */
  readonly changed = new Emitter();
  readonly #failing = new Map<StoreName, Failing>();
  readonly #now: () => number;
  readonly #retryMs: number;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ now = Date.now, retryMs = 15_000 }: StoreHealthOptions = {}) {
    this.#now = now;
    this.#retryMs = retryMs;
  }

  /** Reports a failed write. `folder`: the store's folder, which is probed until it is writable. Never throws. */
  failed(store: StoreName, error: unknown, folder: string): void {
    const known = this.#failing.get(store);
    const cause = causeOf(error, folder);
    this.#failing.set(store, { since: known?.since ?? this.#now(), error: cause, folder });
    this.#probeLater();
    if (known === undefined || codeOf(known.error) !== codeOf(cause)) this.changed.emit();
  }

  /** Reports a successful write. */
  wrote(store: StoreName): void {
    if (!this.#failing.delete(store)) return;
    this.changed.emit();
  }

  /** In the order of `storeNames`. */
  get problems(): readonly StoreProblem[] {
    return storeNames.flatMap((store) => {
      const failing = this.#failing.get(store);
      return failing === undefined ? [] : [problemOf(store, failing)];
    });
  }

  /** Ends the probes. Resolves when none is in progress; never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#probing;
  }

  /** Probes the folder, because a store that writes rarely would otherwise be reported as failing long after. */
  #probeLater(): void {
    if (this.#isClosed || this.#failing.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#probing = this.#probe().then(() => {
        this.#timer = undefined;
        this.#probeLater();
      });
    }, this.#retryMs).unref();
  }

  async #probe(): Promise<void> {
    for (const [store, { folder }] of this.#failing) if (await isWritable(folder)) this.wrote(store);
  }
}

async function isWritable(folder: string): Promise<boolean> {
  const file = join(folder, `.write-test.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await writeFile(file, Buffer.alloc(probeBytes), { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

/** SQLite reports an I/O error if there is no space for its auxiliary files. */
function causeOf(error: unknown, folder: string): unknown {
  if (systemFailure(error)?.code !== 'EIO') return error;
  try {
    return statfsSync(folder).bavail === 0 ? Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) : error;
  } catch {
    return error;
  }
}

function codeOf(error: unknown): string {
  return systemFailure(error)?.code ?? errorText(error);
}

function problemOf(store: StoreName, { since, error, folder }: Failing): StoreProblem {
  const { reason, fix } = systemFailure(error) ?? {
    reason: errorText(error).replace(/\.$/, ''),
    fix: 'The log has the details.',
  };
  return {
    store,
    since,
    summary: `${subjects[store]} cannot be written to since ${localTime(since)}, because ${reason} (${folder}).`,
    fix,
  };
}

/** For example `2026-11-27 22:31`, in local time. */
function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
