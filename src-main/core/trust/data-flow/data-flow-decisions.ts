/**
 * Stores the user's permanent data-flow decisions: "always for this destination". They are in one
 * document that several cores share and one process writes at a time. Each can be undone.
 */
import { AppError } from '../../base/errors.ts';
import { Emitter } from '../../base/emitter.ts';
import { isObject } from '../../base/json.ts';
import type { JsonDocument } from '../../base/json-document.ts';

export interface DataFlowDecision {
  /** The server that may send to the destination. */
  readonly server: string;
  /** `mail a@b.example`, `site host.example`, `secret card`. */
  readonly destination: string;
  /** ms since 1970. */
  readonly at: number;
  /** The app whose call led to the decision. */
  readonly app: string;
  /** Origin of the decision; absent in older files. */
  readonly by?: string;
}

/** Beyond this the oldest decisions are dropped, and the user is asked again. */
const maxDecisions = 2000;

export class DataFlowDecisions {
  readonly changed = new Emitter();
  /** Emits revoked decisions, which need a new approval. */
  readonly revoked = new Emitter<readonly DataFlowDecision[]>();
  readonly #document: JsonDocument;
  #all: readonly DataFlowDecision[] = [];
  #keys: ReadonlySet<string> = new Set();

  constructor(document: JsonDocument) {
    this.#document = document;
    document.changed.on(() => void this.start());
  }

  /** Oldest first. */
  get all(): readonly DataFlowDecision[] {
    return this.#all;
  }

  /** Loads the stored decisions. Never rejects: what cannot be read permits nothing. */
  async start(): Promise<void> {
    this.#take(decisionsIn(await this.#document.read()));
  }

  has(server: string, destination: string): boolean {
    return this.#keys.has(keyOf({ server, destination }));
  }

  /** Rejects as the document's change does; the decision then holds until the core stops. */
  async add(decided: readonly DataFlowDecision[]): Promise<void> {
    this.#take(withAll(this.#all, decided));
    await this.#change((stored) => withAll(stored, decided));
  }

  /** Rejects with AppError `not_found` if none of them is still in force. */
  async revoke(decided: readonly Pick<DataFlowDecision, 'server' | 'destination'>[]): Promise<void> {
    const going = new Set(decided.map(keyOf));
    const gone = this.#all.filter((one) => going.has(keyOf(one)));
    const [first] = decided;
    if (gone.length === 0) {
      throw new AppError('not_found', `There is no decision on ${first?.destination} for ${first?.server}.`, {
        fix: 'List the decisions again: it may already have been undone.',
      });
    }
    const without = (stored: readonly DataFlowDecision[]): DataFlowDecision[] =>
      stored.filter((one) => !going.has(keyOf(one)));
    this.#take(without(this.#all));
    this.revoked.emit(gone);
    await this.#change(without);
  }

  async #change(change: (stored: readonly DataFlowDecision[]) => readonly DataFlowDecision[]): Promise<void> {
    const made = await this.#document.change((value) => {
      const next = change(decisionsIn(value));
      return [next, next];
    });
    this.#take(made);
  }

  #take(all: readonly DataFlowDecision[]): void {
    this.#all = all;
    this.#keys = new Set(all.map(keyOf));
    this.changed.emit();
  }
}

function decisionsIn(value: unknown): readonly DataFlowDecision[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isDecision) : [];
}

function withAll(
  stored: readonly DataFlowDecision[],
  decided: readonly DataFlowDecision[],
): readonly DataFlowDecision[] {
  const keys = new Set(decided.map(keyOf));
  return [...stored.filter((one) => !keys.has(keyOf(one))), ...decided].slice(-maxDecisions);
}

function keyOf({ server, destination }: Pick<DataFlowDecision, 'server' | 'destination'>): string {
  return JSON.stringify([server, destination]);
}

function isDecision(value: unknown): value is DataFlowDecision {
  return (
    isObject(value) &&
    typeof value['server'] === 'string' &&
    typeof value['destination'] === 'string' &&
    typeof value['at'] === 'number' &&
    typeof value['app'] === 'string'
  );
}
