/**
 * Publishes the state to subscribers: first in full, then only changed slices, at most five times a second. A slice is
 * built when it is sent; without subscribers nothing is built and no timer runs.
 */
import { randomUUID } from 'node:crypto';
import type { AppState, StateChange } from './contract.ts';

export type SliceName = keyof AppState;
export type SliceBuilders = { readonly [S in SliceName]: () => AppState[S] | Promise<AppState[S]> };

/** Reports when a slice may have changed; returns an unsubscribe function. */
export type Source = (touch: (...slices: SliceName[]) => void) => () => void;

export interface Publication {
  /** Event ID for `watch` after a lost connection: only later changes are sent then. */
  readonly id: string;
  readonly change: StateChange;
  /** `change` as JSON. */
  readonly text: string;
}

interface Slice {
  readonly text: string;
  readonly value: unknown;
  /** Number of the publication in which it changed. */
  readonly changedAt: number;
}

interface Watcher {
  readonly tell: (publication: Publication) => void;
  readonly slices: ReadonlySet<SliceName>;
}

/** Minimum interval between publications, in ms. */
const minIntervalMs = 200;
/** Interval of time-dependent updates, in ms. */
const tickMs = 10_000;

export class StatePublisher {
  readonly #builders: SliceBuilders;
  readonly #source: Source;
  readonly #onFailure: (slice: SliceName, error: unknown) => void;
  readonly #names: readonly SliceName[];
  readonly #epoch = randomUUID().slice(0, 8);
  readonly #watchers = new Set<Watcher>();
  /** Number of subscriptions and of callers waiting for the first publication. */
  #subscribedSlices = 0;
  readonly #slices = new Map<SliceName, Slice>();
  readonly #dirty = new Set<SliceName>();
  #stopListening: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;
  #count = 0;
  #publishing: Promise<void> = Promise.resolve();

  /** `onFailure`: a slice that cannot be built keeps its last value. */
  constructor(builders: SliceBuilders, source: Source, onFailure: (slice: SliceName, error: unknown) => void) {
    this.#onFailure = onFailure;
    this.#builders = builders;
    this.#source = source;
    this.#names = Object.keys(builders) as SliceName[];
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /**
   * `lastId`: last publication that the subscriber received; `slices`: defaults to all. The
   * first publication follows at once. Returns an unsubscribe function.
   */
  watch(tell: Watcher['tell'], lastId?: string, slices: readonly SliceName[] = this.#names): () => void {
    if (this.#subscribedSlices === 0) this.#begin();
    this.#subscribedSlices += 1;
    let isGone = false;
    const seen = this.#countOf(lastId);
    const watcher: Watcher = { tell, slices: new Set(slices) };
    this.#publishing = this.#publishing
      .then(() => this.#build(slices))
      .then(() => {
        if (isGone) return;
        this.#watchers.add(watcher);
        tell(this.#since(seen, watcher.slices));
      });
    return () => {
      if (isGone) return;
      isGone = true;
      this.#watchers.delete(watcher);
      this.#subscribedSlices -= 1;
      if (this.#subscribedSlices === 0) this.#end();
    };
  }

  #begin(): void {
    this.#stopListening();
    clearInterval(this.#tick);
    this.#stopListening = this.#source((...slices) => this.#markDirty(slices));
    this.#tick = setInterval(() => this.#markDirty(this.#names), tickMs).unref();
  }

  #end(): void {
    this.#stopListening();
    this.#stopListening = () => undefined;
    clearInterval(this.#tick);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dirty.clear();
  }

  #markDirty(slices: readonly SliceName[]): void {
    for (const slice of slices) this.#dirty.add(slice);
    this.#timer ??= setTimeout(() => {
      this.#publishing = this.#publishing.then(() => this.#publish());
    }, minIntervalMs).unref();
  }

  async #publish(): Promise<void> {
    this.#timer = undefined;
    const before = this.#count;
    const wanted = new Set([...this.#watchers].flatMap(({ slices }) => [...slices]));
    await this.#build([...this.#dirty].filter((slice) => wanted.has(slice)));
    if (this.#count === before) return;
    for (const { tell, slices } of this.#watchers) {
      const publication = this.#since(before, slices);
      if (publication.text !== '{}') tell(publication);
    }
  }

  /** Rebuilds these slices; the count increases if one changed. */
  async #build(names: readonly SliceName[]): Promise<void> {
    const next = this.#count + 1;
    for (const name of names) {
      this.#dirty.delete(name);
      try {
        const value: unknown = await this.#builders[name]();
        const text = JSON.stringify(value);
        if (this.#slices.get(name)?.text === text) continue;
        this.#slices.set(name, { text, value, changedAt: next });
        this.#count = next;
      } catch (error) {
        this.#onFailure(name, error);
      }
    }
  }

  #since(count: number, slices: ReadonlySet<SliceName>): Publication {
    const changed = [...this.#slices].filter(([name, { changedAt }]) => changedAt > count && slices.has(name));
    const text = `{${changed.map(([name, slice]) => `${JSON.stringify(name)}:${slice.text}`).join(',')}}`;
    const change = Object.fromEntries(changed.map(([name, { value }]) => [name, value])) as StateChange;
    return { id: `${this.#epoch}.${this.#count}`, change, text };
  }

  /** 0 for no ID or one of another core: everything is new. */
  #countOf(id: string | undefined): number {
    const [epoch, count] = id?.split('.') ?? [];
    return epoch === this.#epoch && Number.isSafeInteger(Number(count)) ? Number(count) : 0;
  }
}
