/**
 * The steps as they come: the newest in front while it is live, older ones behind when they are scrolled to. It knows
 * nothing of a page, so that it is tested without one.
 */
import type { RpcFailure, RpcMethods, StepQuery, StepSummary } from '../../../../src-main/rpc/contract.ts';
import { RowThrottle } from '../../../lib/row-pace.ts';

type StepPage = RpcMethods['steps']['output'];

export interface Steps {
  /** The newest first, without a gap. */
  readonly steps: readonly StepSummary[];
  /** Of everything that fits; undefined before the first answer. */
  readonly sums: StepPage['sums'] | undefined;
  /** So many there are, whatever the filter. */
  readonly all: number;
  readonly more: boolean;
  readonly unrecorded: StepPage['unrecorded'];
  /** Of the newest so many, where older ones were not looked through. */
  readonly lookedThrough: number | undefined;
  /** How many came while the list was held still. */
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
/** What is read when something came: a tall window full. */
const livePage = 50;
/**
 * On the way down each page is as long as what was read before, up to this: a window that is not full yet needs a few
 * rows.
 */
const longPage = 500;
/** Held on the page; what is older is read again on the way down. */
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
  /** Steps that ran when we last heard: they are read when they are over, wherever they stand. */
  #running: readonly number[] = [];

  constructor(options: StepFeedOptions) {
    this.#options = options;
  }

  /** Begins again with what fits. */
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

  /** Something was recorded; `running`: what runs now. */
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

  /** The last row that is looked at is near the end. */
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

  /** In ms: how long to wait before the next `refresh`. */
  get pause(): number {
    return this.#pace.wait(this.#options.now());
  }

  /** Held: what comes is counted, not shown. */
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
      // One that is older than what was read comes when it is scrolled to.
      if (id < (this.#now.steps.at(-1)?.id ?? 0) || page.steps.some((step) => step.id === id)) continue;
      late.push(...(await this.#ask({ beforeId: id + 1, afterId: id - 1, limit: 1 })).steps);
    }
    // Those of now: another filter's may have come meanwhile.
    const before = this.#now.steps;
    const newest = before[0]?.id ?? 0;
    const fresh = page.steps.filter(({ id }) => id > newest);
    if (this.#isHeld) {
      // What is there stays where it is; what has changed in it is told.
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
    // More came than was read: the list begins again, and continues below when it is scrolled to.
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

/** Each once, as it was told last, the newest first. */
function merged(before: readonly StepSummary[], now: readonly StepSummary[]): readonly StepSummary[] {
  const all = new Map([...before, ...now].map((step) => [step.id, step]));
  return [...all.values()].sort((a, b) => b.id - a.id);
}
