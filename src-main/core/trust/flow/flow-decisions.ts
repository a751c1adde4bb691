/**
 * What the person decided for good about what leaves: "always for this destination". One small private file for every core of a
 * home, written under a lock; each can be taken back.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { AppError } from '../../base/errors.ts';
import { Event } from '../../base/events.ts';
import { withFileLock } from '../../base/file-lock.ts';
import { isObject } from '../../base/json.ts';

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
  readonly #file: string;
  #all: readonly FlowDecision[] = [];
  #keys: ReadonlySet<string> = new Set();

  constructor(file: string) {
    this.#file = file;
  }

  /** Oldest first. */
  get all(): readonly FlowDecision[] {
    return this.#all;
  }

  /** Reads what was decided before. Never rejects: what cannot be read allows nothing. */
  async start(): Promise<void> {
    this.#take(await this.#read());
  }

  has(server: string, destination: string): boolean {
    return this.#keys.has(keyOf({ server, destination }));
  }

  /** Rejects with what the file system throws: then it counts until the core stops. */
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
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await withFileLock(this.#file, async () => {
      const next = change(await this.#read());
      await writeFileAtomic(this.#file, JSON.stringify(next, null, 2), { mode: 0o600 });
      this.#take(next);
    });
  }

  #take(all: readonly FlowDecision[]): void {
    this.#all = all;
    this.#keys = new Set(all.map(keyOf));
    this.changed.emit();
  }

  async #read(): Promise<readonly FlowDecision[]> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      return Array.isArray(value) ? (value as unknown[]).filter(isDecision) : [];
    } catch {
      return [];
    }
  }
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
