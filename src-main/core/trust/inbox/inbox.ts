/**
 * Everything that waits for a user, in one place, and past decisions. It stores nothing itself: each source stores its
 * own items and decisions. Dashboard, tray and command line use it; a model cannot reach it.
 */
import { AppError } from '../../base/errors.ts';
import { Emitter } from '../../base/emitter.ts';
import { truncateName } from '../../base/visible-text.ts';
import type { PastDecision, InboxItem, DecisionResult } from './inbox-item.ts';

export interface UserDecision {
  /** One of the item's actions. */
  readonly action: string;
  /** Origin of the decision: `dashboard`, `command line`. */
  readonly by: string;
  /** Keys of the parts it applies to; undefined: all. */
  readonly parts?: readonly string[] | undefined;
}

export interface Showing {
  /** Whether the user asked to see secrets, which are `***` otherwise. */
  readonly reveal?: boolean | undefined;
}

/** One kind of inbox items, always read in their current state. */
export interface InboxSource {
  /** Called after an item was added or decided. */
  readonly onChange: (listener: () => void) => () => void;
  readonly items: (showing?: Showing) => Promise<readonly InboxItem[]>;
  /** Rejects with AppError if the item has changed since it was shown. */
  readonly decide: (item: InboxItem, word: UserDecision) => Promise<DecisionResult>;
  /** Newest first. */
  readonly decided: () => Promise<readonly PastDecision[]>;
  /** Rejects with AppError if it can no longer be undone. */
  readonly undo: (decided: PastDecision) => Promise<void>;
}

/** Maximum number of past decisions that are listed. */
const maxDecided = 100;

export class Inbox {
  readonly changed = new Emitter();
  readonly #sources: readonly InboxSource[];

  constructor(sources: readonly InboxSource[]) {
    this.#sources = sources;
    for (const source of sources) source.onChange(() => this.changed.emit());
  }

  /** Most urgent first. */
  async items(): Promise<readonly InboxItem[]> {
    const all = await Promise.all(this.#sources.map((source) => source.items()));
    return all.flat().toSorted(compareUrgency);
  }

  /** Rejects with AppError `not_found`. */
  async item(id: string, showing: Showing = {}): Promise<InboxItem> {
    return (await this.#find(id, showing)).item;
  }

  /**
   * Applies the user's decision. Rejects with AppError `not_found` for an unknown id, `bad_request` for an unknown
   * action or part, otherwise as its source does.
   */
  async decide(id: string, word: UserDecision): Promise<DecisionResult> {
    const { item, source } = await this.#find(id);
    requireAnswer(item, word);
    const outcome = await source.decide(item, word);
    this.changed.emit();
    return outcome;
  }

  /** Newest first. */
  async decided(): Promise<readonly PastDecision[]> {
    const all = await Promise.all(this.#sources.map((source) => source.decided()));
    return all
      .flat()
      .toSorted((one, other) => other.at - one.at)
      .slice(0, maxDecided);
  }

  /** Undoes a decision. Rejects with AppError `not_found`, `not_allowed`, otherwise as its source does. */
  async undo(id: string): Promise<PastDecision> {
    for (const source of this.#sources) {
      const decided = (await source.decided()).find((one) => one.id === id);
      if (decided === undefined) continue;
      if (decided.undo === undefined) {
        throw new AppError('not_allowed', `This cannot be undone: ${decided.sentence}`, {
          fix: 'Change it manually.',
        });
      }
      await source.undo(decided);
      this.changed.emit();
      return decided;
    }
    throw new AppError('not_found', `No decision has the ID ${truncateName(id)}.`, {
      fix: 'List decisions: tooltray inbox history.',
    });
  }

  async #find(id: string, showing: Showing = {}): Promise<{ readonly item: InboxItem; readonly source: InboxSource }> {
    for (const source of this.#sources) {
      const item = (await source.items(showing)).find((one) => one.id === id);
      if (item !== undefined) return { item, source };
    }
    throw new AppError('not_found', `No pending item with the ID ${truncateName(id)}.`, {
      fix: 'It was already decided, or has changed. List pending items: tooltray inbox.',
    });
  }
}

/** Sort order: the most severe first, then items that expire, then the oldest. */
export function compareUrgency(one: Urgency, other: Urgency): number {
  return (
    Number(other.isGrave) - Number(one.isGrave) ||
    (one.until ?? Number.MAX_VALUE) - (other.until ?? Number.MAX_VALUE) ||
    (one.at ?? Number.MAX_VALUE) - (other.at ?? Number.MAX_VALUE)
  );
}

type Urgency = Pick<InboxItem, 'isGrave' | 'until' | 'at'>;

function requireAnswer(item: InboxItem, { action, parts }: UserDecision): void {
  const answer = item.actions.find(({ id }) => id === action);
  if (answer === undefined) {
    throw new AppError('bad_request', `${truncateName(action)} is not an action of ${item.id}.`, {
      fix: `Actions: ${item.actions.map(({ id }) => id).join(', ')}.`,
    });
  }
  if (parts === undefined) return;
  const keys = new Set(item.parts.flatMap((part) => part.keys));
  const unknown = parts.find((part) => !keys.has(part));
  if (answer.isByPart && parts.length > 0 && unknown === undefined) return;
  const wrong =
    unknown === undefined
      ? `${item.id} can only be decided as a whole`
      : `${truncateName(unknown)} is not a part of it`;
  throw new AppError('bad_request', `${wrong}.`, { fix: `Show it: tooltray inbox show ${item.id}.` });
}
