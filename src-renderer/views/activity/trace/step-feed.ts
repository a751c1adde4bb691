/**
 * The growing list of steps: new ones are prepended while it is live, older ones loaded when scrolled to. Independent
 * of the page, so that it can be tested without one.
 */
import type { RpcFailure, RpcMethods, StepQuery, StepSummary } from '../../../../src-main/rpc/contract.ts';
import { RowThrottle } from '../../../lib/row-pace.ts';

type StepPage = RpcMethods['steps']['output'];

export interface Steps {
  /** Newest first, contiguous. */
  readonly steps: readonly StepSummary[];
  /** Totals of everything that matches; undefined before the first response. */
  readonly sums: StepPage['sums'] | undefined;
  /** Total number regardless of the filter. */
  readonly all: number;
  readonly more: boolean;
  readonly unrecorded: StepPage['unrecorded'];
  /** Number of the newest steps that were filtered, if older ones were not. */
  readonly lookedThrough: number | undefined;
  /** Number of new steps while the list was paused. */
  readonly waiting: number;
  readonly failure: RpcFailure | undefined;
}

interface StepFeedOptions {
  readonly ask: (query: StepQuery, signal: AbortSignal) => Promise<StepPage>;
  readonly toFailure: (error: unknown) => RpcFailure;
  readonly onchange: (steps: Steps) => void;
  readonly now: () => number;
}

export const noSteps: Steps = {
  steps: [],
  sums: undefined,
  all: 0,
  more: false,
  unrecorded: undefined,
  lookedThrough: undefined,
  waiting: 0,
  failure: undefined,
};

const firstPage = 100;
/** Number of steps loaded per update: a tall window full. */
const livePage = 50;
/** Each page is as long as what was loaded before, up to this: a window that is not full yet needs few rows. */
const longPage = 500;
/** Maximum number of steps held; older ones are loaded again when scrolled to. */
const maxSteps = 5000;

export class StepFeed {
  readonly #options: StepFeedOptions;
  #now = noSteps;
  #search: StepQuery = {};
  #line = new AbortController();
  #isReading = false;
  #isBehind = false;
  #isHeld = false;
  readonly #pace = new RowThrottle();
  /** Steps that were running at the last update: they are loaded again when they end. */
  #running: readonly number[] = [];

  constructor(options: StepFeedOptions) {
    this.#options = options;
  }

  /** Restarts with another filter. */
  async show(search: StepQuery): Promise<void> {
    this.close();
    this.#line = new AbortController();
    this.#search = search;
    [this.#isReading, this.#isBehind, this.#isHeld] = [false, false, false];
    await this.#reading(async () => {
      const page = await this.#ask({ limit: firstPage });
      const { steps, sums, all, more, unrecorded, lookedThrough } = page;
      this.#tell({ ...noSteps, steps, sums, all, more, unrecorded, lookedThrough });
    });
  }

  /** Called when steps were recorded; `running`: currently running ones. */
  async refresh(running: readonly number[]): Promise<void> {
    const ended = this.#running.filter((id) => !running.includes(id));
    this.#running = running;
    this.#isBehind = true;
    if (this.#isReading || this.#now.sums === undefined) return;
    const { signal } = this.#line;
    this.#isReading = true;
    while (this.#isBehind && !signal.aborted) {
      this.#isBehind = false;
      await this.#reading(() => this.#takeNewer(ended));
    }
    if (!signal.aborted) this.#isReading = false;
  }

  /** Called when the last visible row is near the end. */
  async readOlder(): Promise<void> {
    const last = this.#now.steps.at(-1);
    if (this.#isReading || !this.#now.more || last === undefined) return;
    this.#isReading = true;
    await this.#reading(async () => {
      const limit = Math.min(longPage, this.#now.steps.length);
      const page = await this.#ask({ beforeId: last.id, limit });
      this.#tell({ steps: merged(this.#now.steps, page.steps), more: page.more, failure: undefined });
    });
    this.#isReading = false;
  }

  /** Time to wait before the next `refresh`, in ms. */
  get pause(): number {
    return this.#pace.wait(this.#options.now());
  }

  /** Paused: new steps are counted, not shown. */
  set held(isHeld: boolean) {
    const was = this.#isHeld;
    this.#isHeld = isHeld;
    if (was && !isHeld && this.#now.waiting > 0) void this.refresh(this.#running);
  }

  close(): void {
    this.#line.abort();
  }

  async #takeNewer(ended: readonly number[]): Promise<void> {
    const page = await this.#ask({ limit: livePage });
    const late: StepSummary[] = [];
    for (const id of ended) {
      // Steps older than the loaded ones are loaded when scrolled to.
      if (id < (this.#now.steps.at(-1)?.id ?? 0) || page.steps.some((step) => step.id === id)) continue;
      late.push(...(await this.#ask({ beforeId: id + 1, afterId: id - 1, limit: 1 })).steps);
    }
    // Current ones, because the filter may have changed during the request.
    const before = this.#now.steps;
    const newest = before[0]?.id ?? 0;
    const fresh = page.steps.filter(({ id }) => id > newest);
    if (this.#isHeld) {
      // Existing steps keep their position; changed ones are replaced.
      const known = new Map([...page.steps, ...late].map((step) => [step.id, step]));
      const steps = before.map((step) => known.get(step.id) ?? step);
      return this.#tell({
        steps,
        sums: page.sums,
        all: page.all,
        unrecorded: page.unrecorded,
        lookedThrough: page.lookedThrough,
        waiting: Math.max(fresh.length, this.#now.waiting),
        failure: undefined,
      });
    }
    // More arrived than was loaded: the list restarts, and continues below when scrolled to.
    const isGap = page.more && fresh.length === page.steps.length && before.length > 0;
    this.#pace.drew(fresh.length, this.#options.now());
    const steps = isGap ? page.steps : merged(before, [...page.steps, ...late]).slice(0, maxSteps);
    const more = isGap ? page.more : this.#now.more || before.length + fresh.length > maxSteps;
    const { sums, all, unrecorded, lookedThrough } = page;
    this.#tell({ steps, sums, all, more, unrecorded, lookedThrough, waiting: 0, failure: undefined });
  }

  #ask(range: Pick<StepQuery, 'beforeId' | 'afterId' | 'limit'>): Promise<StepPage> {
    const { signal } = this.#line;
    return this.#options.ask({ ...this.#search, ...range }, signal).then((page) => {
      signal.throwIfAborted();
      return page;
    });
  }

  async #reading(read: () => Promise<void>): Promise<void> {
    const { signal } = this.#line;
    try {
      await read();
    } catch (error) {
      if (!signal.aborted) this.#tell({ failure: this.#options.toFailure(error) });
    }
  }

  #tell(change: Partial<Steps>): void {
    this.#now = { ...this.#now, ...change };
    this.#options.onchange(this.#now);
  }
}

/** Deduplicated, using the latest version, newest first. */
function merged(before: readonly StepSummary[], now: readonly StepSummary[]): readonly StepSummary[] {
  const all = new Map([...before, ...now].map((step) => [step.id, step]));
  return [...all.values()].sort((a, b) => b.id - a.id);
}
