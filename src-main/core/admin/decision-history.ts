/** What the person decided about changes of the config, on disk: shown as a history, each with what it takes to take it back. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { withFileLock } from '../base/file-lock.ts';
import { isObject } from '../base/json.ts';
import { shortName } from '../base/shown-text.ts';
import type { Decided, InboxKind } from '../trust/inbox/inbox-item.ts';
import type { Proposal } from './server-change.ts';
import type { WrittenEdit } from './take-back.ts';

/** What it takes to take a decision back. */
export interface WayBack {
  /** What it wrote. */
  readonly written?: readonly WrittenEdit[];
  /** Descriptions that it told apps. */
  readonly texts?: readonly { readonly server: string; readonly tools: readonly string[] }[];
  /** What it rejected, to be asked again. */
  readonly rejected?: Proposal;
  /** The offer that it is about, by its fingerprint, and whether it was wanted. */
  readonly offer?: { readonly key: string; readonly wanted: boolean };
}

export interface KeptDecision extends Decided {
  readonly back?: WayBack | undefined;
}

type NewDecision = Omit<KeptDecision, 'id' | 'at'>;

/** The oldest go first. What was written holds what entries hold, so it is not kept for ever. */
const most = 50;
const keptMs = 30 * 24 * 60 * 60_000;

/** One small private file for every core of a home, written under a lock. */
export class DecisionHistory {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Newest first. */
  async all(kinds: readonly InboxKind[]): Promise<readonly Decided[]> {
    const decided = (await this.#read()).filter(({ kind }) => kinds.includes(kind)).toReversed();
    // What was written holds secrets: it stays here.
    return decided.map(({ back: _back, ...shown }) => shown);
  }

  /** Its id; undefined where it could not be written: it is done all the same, and cannot be taken back here. Never rejects. */
  async add(decision: NewDecision): Promise<string | undefined> {
    const kept: KeptDecision = { ...decision, id: randomBytes(4).toString('hex'), at: Date.now() };
    return this.#change((all) => [...all, kept]).then(
      () => kept.id,
      () => undefined,
    );
  }

  /**
   * Takes one out once `work` has taken it back; whoever comes second finds it gone. Rejects with AppError not_found, or as `work` does:
   * then it stays.
   */
  async takeBack(id: string, work: (decision: KeptDecision) => Promise<void>): Promise<void> {
    const decision = (await this.#read()).find((one) => one.id === id);
    if (decision === undefined) {
      throw new AppError('not_found', `No decision is known under ${shortName(id)}.`, {
        fix: 'It was taken back already.',
      });
    }
    await work(decision);
    await this.#change((all) => all.filter((one) => one.id !== id));
  }

  async #change(change: (all: readonly KeptDecision[]) => readonly KeptDecision[]): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await withFileLock(this.#file, async () => {
      const next = change(await this.#read()).slice(-most);
      await writeFileAtomic(this.#file, JSON.stringify(next, null, 2), { mode: 0o600 });
    });
  }

  /** A file that cannot be read holds nothing: decisions stand, they cannot be taken back here. */
  async #read(): Promise<readonly KeptDecision[]> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      if (!Array.isArray(value)) return [];
      return (value as unknown[]).filter(isDecision).filter(({ at }) => Date.now() - at < keptMs);
    } catch {
      return [];
    }
  }
}

function isDecision(value: unknown): value is KeptDecision {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['at'] === 'number' &&
    typeof value['by'] === 'string' &&
    typeof value['kind'] === 'string' &&
    typeof value['sentence'] === 'string'
  );
}
