/** Stores the user's decisions on config changes. They are shown as a history, each with the data needed to undo it. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { JsonDocument } from '../base/json-document.ts';
import { truncateName } from '../base/visible-text.ts';
import type { PastDecision, InboxKind } from '../trust/inbox/inbox-item.ts';
import type { Proposal } from './server-change.ts';
import type { AppliedEdit } from './revert-edit.ts';

/** The data needed to undo a decision. */
export interface WayBack {
  /** The written edits. */
  readonly written?: readonly AppliedEdit[];
  /** Tool descriptions that the decision changed. */
  readonly texts?: readonly { readonly server: string; readonly tools: readonly string[] }[];
  /** The rejected proposal, restored on undo. */
  readonly rejected?: Proposal;
  /** The offer concerned, by its fingerprint, and whether the user accepted it. */
  readonly offer?: { readonly key: string; readonly wanted: boolean };
}

export interface StoredDecision extends PastDecision {
  readonly back?: WayBack | undefined;
}

type NewDecision = Omit<StoredDecision, 'id' | 'at'>;

/**
 * Maximum number of decisions; the oldest are dropped first. Edits contain config values, so they are not stored
 * forever.
 */
const maxDecisions = 50;
const retentionMs = 30 * 24 * 60 * 60_000;

/** Stores decisions in one document that several cores share and that one process changes at a time. */
export class DecisionHistory {
  readonly #document: JsonDocument;

  constructor(document: JsonDocument) {
    this.#document = document;
  }

  /** Newest first. */
  async all(kinds: readonly InboxKind[]): Promise<readonly PastDecision[]> {
    const decided = (await this.#read()).filter(({ kind }) => kinds.includes(kind)).toReversed();
    // Written edits contain secrets, so they are not returned.
    return decided.map(({ back: _back, ...shown }) => shown);
  }

  /**
   * The decision's id; undefined if it could not be stored: the decision still applies, but cannot be undone here.
   * Never rejects.
   */
  async add(decision: NewDecision): Promise<string | undefined> {
    const stored: StoredDecision = { ...decision, id: randomBytes(4).toString('hex'), at: Date.now() };
    return this.#change((all) => [...all, stored]).then(
      () => stored.id,
      () => undefined,
    );
  }

  /**
   * Removes a decision and lets `work` revert it; a second caller finds it gone. Rejects with AppError `not_found`, or
   * as `work` does: then the decision stays.
   */
  async undo(id: string, work: (decision: StoredDecision) => Promise<void>): Promise<void> {
    // Removed first, so that of two concurrent undos only one runs.
    const decision = await this.#document.change((value) => {
      const all = decisionsIn(value);
      const found = all.find((one) => one.id === id);
      if (found === undefined) throw gone(id);
      return [all.filter((one) => one !== found), found];
    });
    try {
      await work(decision);
    } catch (error) {
      await this.#change((all) => [...all, decision].toSorted((one, other) => one.at - other.at)).catch(
        () => undefined,
      );
      throw error;
    }
  }

  #change(change: (all: readonly StoredDecision[]) => readonly StoredDecision[]): Promise<void> {
    return this.#document.change((value) => [change(decisionsIn(value)).slice(-maxDecisions), undefined]);
  }

  async #read(): Promise<readonly StoredDecision[]> {
    return decisionsIn(await this.#document.read());
  }
}

function gone(id: string): AppError {
  return new AppError('not_found', `No decision with the ID ${truncateName(id)}.`, {
    fix: 'It was already undone.',
  });
}

/** Ignores unreadable entries: their decisions stand and cannot be undone here. */
function decisionsIn(value: unknown): readonly StoredDecision[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter(isDecision).filter(({ at }) => Date.now() - at < retentionMs);
}

function isDecision(value: unknown): value is StoredDecision {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['at'] === 'number' &&
    typeof value['by'] === 'string' &&
    typeof value['kind'] === 'string' &&
    typeof value['sentence'] === 'string'
  );
}
