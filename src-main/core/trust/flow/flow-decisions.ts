/**
 * What the person decided for good about what leaves: "always for this destination". One document for every core of a home, or of a
 * team's tenant, changed by one process at a time; each can be taken back.
 */
import { AppError } from '../../base/errors.ts';
import { Event } from '../../base/events.ts';
import { isObject } from '../../base/json.ts';
import type { KeptDocument } from '../../base/kept-document.ts';

export interface FlowDecision {
  /** The server that may send there. */
  readonly server: string;
  /** `mail a@b.example`, `site host.example`, `secret card`. */
  readonly destination: string;
  /** ms since 1970. */
  readonly at: number;
  /** The app that asked when it was decided. */
  readonly app: string;
  /** Where it was said; absent in files of before. */
  readonly by?: string;
}

/** The oldest go first: whoever decided on so many would be asked once more. */
const most = 2000;

export class FlowDecisions {
  readonly changed = new Event();
  /** These are asked for again. */
  readonly takenBack = new Event<readonly FlowDecision[]>();
  readonly #document: KeptDocument;
  #all: readonly FlowDecision[] = [];
  #keys: ReadonlySet<string> = new Set();

  constructor(document: KeptDocument) {
    this.#document = document;
    document.changed.on(() => void this.start());
  }

  /** Oldest first. */
  get all(): readonly FlowDecision[] {
    return this.#all;
  }

  /** Reads what was decided before. Never rejects: what cannot be read allows nothing. */
  async start(): Promise<void> {
    this.#take(decisionsIn(await this.#document.read()));
  }

  has(server: string, destination: string): boolean {
    return this.#keys.has(keyOf({ server, destination }));
  }

  /** Rejects as the document's change does: then it counts until the core stops. */
  async add(decided: readonly FlowDecision[]): Promise<void> {
    this.#take(withAll(this.#all, decided));
    await this.#change((kept) => withAll(kept, decided));
  }

  /** Rejects with AppError not_found where none of them stands any more. */
  async takeBack(decided: readonly Pick<FlowDecision, 'server' | 'destination'>[]): Promise<void> {
    const going = new Set(decided.map(keyOf));
    const gone = this.#all.filter((one) => going.has(keyOf(one)));
    const [first] = decided;
    if (gone.length === 0) {
      throw new AppError('not_found', `Nothing was decided for ${first?.destination} of ${first?.server}.`, {
        fix: 'Look at the list again: it may have been taken back already.',
      });
    }
    const without = (kept: readonly FlowDecision[]): FlowDecision[] => kept.filter((one) => !going.has(keyOf(one)));
    this.#take(without(this.#all));
    this.takenBack.emit(gone);
    await this.#change(without);
  }

  async #change(change: (kept: readonly FlowDecision[]) => readonly FlowDecision[]): Promise<void> {
    const made = await this.#document.change((value) => {
      const next = change(decisionsIn(value));
      return [next, next];
    });
    this.#take(made);
  }

  #take(all: readonly FlowDecision[]): void {
    this.#all = all;
    this.#keys = new Set(all.map(keyOf));
    this.changed.emit();
  }
}

function decisionsIn(value: unknown): readonly FlowDecision[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isDecision) : [];
}

function withAll(kept: readonly FlowDecision[], decided: readonly FlowDecision[]): readonly FlowDecision[] {
  const keys = new Set(decided.map(keyOf));
  return [...kept.filter((one) => !keys.has(keyOf(one))), ...decided].slice(-most);
}

function keyOf({ server, destination }: Pick<FlowDecision, 'server' | 'destination'>): string {
  return JSON.stringify([server, destination]);
}

function isDecision(value: unknown): value is FlowDecision {
  return (
    isObject(value) &&
    typeof value['server'] === 'string' &&
    typeof value['destination'] === 'string' &&
    typeof value['at'] === 'number' &&
    typeof value['app'] === 'string'
  );
}
