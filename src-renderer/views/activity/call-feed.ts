/**
 * The growing list of calls: new ones are prepended while it is live, older ones loaded when scrolled to. Independent
 * of the page, so that it can be tested without one.
 */
import type { ActivityPage, ActivityQuery, CallSummary, RpcFailure } from '../../../src-main/rpc/contract.ts';
import { RowThrottle } from '../../lib/row-pace.ts';
import { type CallFilter, toSearch } from './call-filter.ts';
import { askAfter, totalsOf, type Totals, withNewer, withOlder } from './call-pages.ts';

export interface Feed {
  /** Newest first, contiguous. */
  readonly calls: readonly CallSummary[];
  /** Total number of rows, including those not loaded yet. */
  readonly rows: number;
  /** Number of rows prepended so far: index minus this identifies a row. */
  readonly moved: number;
  /** Totals of everything that matches; undefined before the first response. */
  readonly totals: Totals | undefined;
  /** Number of new calls while the list was paused. */
  readonly waiting: NewCalls;
  readonly failure: RpcFailure | undefined;
}

export type NewCalls = NonNullable<ActivityPage['newer']>;

export interface FeedOptions {
  readonly ask: (query: ActivityQuery, signal: AbortSignal) => Promise<ActivityPage>;
  readonly toFailure: (error: unknown) => RpcFailure;
  readonly onchange: (feed: Feed) => void;
  readonly now: () => number;
}

const none: NewCalls = { calls: 0, problems: 0 };
export const emptyFeed: Feed = {
  calls: [],
  rows: 0,
  moved: 0,
  totals: undefined,
  waiting: none,
  failure: undefined,
};

/** Fills one window; the rest loads when scrolled to. */
const firstPage = 40;
/** Each page is twice as long as what was loaded before, up to this. */
const longPage = 1000;
/** Maximum number of calls held; older ones are loaded again when scrolled to. */
const maxCalls = 1000;

export class CallFeed {
  readonly #options: FeedOptions;
  #feed = emptyFeed;
  #search: ActivityQuery = {};
  #line = new AbortController();
  readonly #pace = new RowThrottle();
  #isLive = true;
  #isAtEnd = false;
  /** Last visible row; 0: unknown. */
  #wanted = 0;
  /** IDs up to which calls were loaded, and counted while paused. */
  #readTo = 0;
  #countedTo = 0;
  #readingOlder = false;
  #readingNewer = false;
  #isBehind = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Restarts with another filter. */
  async show(filter: CallFilter): Promise<void> {
    this.close();
    this.#line = new AbortController();
    this.#search = toSearch(filter);
    this.#isLive = true;
    this.#isAtEnd = this.#readingOlder = this.#readingNewer = this.#isBehind = false;
    this.#wanted = 0;
    await this.#reading(async () => this.#begin(await this.#ask({ limit: this.#inSight })));
  }

  /** Time to wait before the next `refresh`, in ms. */
  get pause(): number {
    return this.#pace.wait(this.#options.now());
  }

  /** Called when calls were recorded. */
  async refresh(): Promise<void> {
    this.#isBehind = true;
    if (this.#readingNewer || this.#feed.totals === undefined) return;
    const { signal } = this.#line;
    this.#readingNewer = true;
    while (this.#isBehind && !signal.aborted) {
      this.#isBehind = false;
      await this.#reading(() => (this.#isLive ? this.#takeNewer() : this.#holdNewer()));
    }
    if (!signal.aborted) this.#readingNewer = false;
  }

  /** Rows up to this one (exclusive) are visible. */
  async reach(end: number): Promise<void> {
    this.#wanted = end;
    if (this.#readingOlder || this.#feed.totals === undefined) return;
    const { signal } = this.#line;
    this.#readingOlder = true;
    while (!signal.aborted && !this.#isAtEnd && this.#wanted > this.#feed.calls.length) {
      const before = this.#feed.calls.length;
      await this.#reading(() => this.#takeOlder());
      if (this.#feed.calls.length === before) break;
    }
    if (!signal.aborted) this.#readingOlder = false;
  }

  /** Live: new calls are shown immediately. Otherwise they are held until `showWaiting`. */
  set live(isLive: boolean) {
    if (isLive && !this.#isLive) void this.showWaiting();
    this.#isLive = isLive;
  }

  /** New calls are at the top, so the list scrolls there. */
  showWaiting(): Promise<void> {
    this.#isLive = true;
    this.#wanted = 0;
    return this.refresh();
  }

  close(): void {
    this.#line.abort();
  }

  /** Number of the newest rows worth loading. */
  get #inSight(): number {
    return this.#wanted === 0 ? firstPage : Math.min(longPage, this.#wanted);
  }

  #begin(page: ActivityPage): void {
    this.#isAtEnd = !page.more;
    this.#readTo = this.#countedTo = page.lastId;
    const rows = this.#rows(page.calls, page.total);
    this.#tell({ ...emptyFeed, calls: page.calls, totals: totalsOf(page), rows });
  }

  async #takeNewer(): Promise<void> {
    const now = this.#options.now();
    const page = await this.#ask({ afterId: askAfter(this.#feed.calls, this.#readTo, now), limit: this.#inSight });
    // The user scrolled away during the request.
    if (!this.#isLive) return void (this.#isBehind = true);
    // Current ones, because the filter may have changed during the request.
    const { calls: before, moved } = this.#feed;
    const isGap = page.more && (page.calls.at(-1)?.id ?? 0) > (before[0]?.id ?? 0);
    const all = isGap ? page.calls : withNewer(page.calls, before);
    // Limits memory for a page that stays open for days.
    const calls = all.slice(0, maxCalls);
    if (isGap || calls.length < all.length) this.#isAtEnd = false;
    this.#pace.drew(page.calls.filter(({ id }) => id > this.#readTo).length, now);
    this.#readTo = this.#countedTo = page.lastId;
    this.#tell({
      calls,
      totals: totalsOf(page),
      rows: this.#rows(calls, page.total),
      waiting: none,
      failure: undefined,
      // If all rows were replaced, rendered rows are reused, because creating them is much slower.
      moved: moved + (isGap ? 0 : all.length - before.length),
    });
  }

  /** New calls are counted, not loaded. */
  async #holdNewer(): Promise<void> {
    const page = await this.#ask({ afterId: this.#countedTo, limit: 0 });
    if (this.#isLive) return void (this.#isBehind = true);
    this.#countedTo = page.lastId;
    const { calls, problems } = this.#feed.waiting;
    const waiting = {
      calls: calls + (page.newer?.calls ?? 0),
      problems: problems + (page.newer?.problems ?? 0),
    };
    this.#tell({ waiting, totals: totalsOf(page), failure: undefined });
  }

  async #takeOlder(): Promise<void> {
    const { calls: before, totals } = this.#feed;
    const limit = Math.min(longPage, Math.max(this.#wanted - before.length, before.length));
    const page = await this.#ask({ beforeId: before.at(-1)?.id ?? 0, limit });
    // The list was reloaded from the top meanwhile.
    if (this.#feed.calls.at(-1)?.id !== before.at(-1)?.id) return;
    this.#isAtEnd = !page.more;
    const calls = withOlder(this.#feed.calls, page.calls);
    this.#tell({ calls, rows: this.#rows(calls, totals?.total ?? 0), failure: undefined });
  }

  /** The core deletes its oldest records, so the end of the list is what could be loaded. */
  #rows(calls: readonly CallSummary[], total: number): number {
    return this.#isAtEnd ? calls.length : Math.max(calls.length, total);
  }

  #ask(range: Pick<ActivityQuery, 'beforeId' | 'afterId' | 'limit'>): Promise<ActivityPage> {
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

  #tell(change: Partial<Feed>): void {
    this.#feed = { ...this.#feed, ...change };
    this.#options.onchange(this.#feed);
  }
}
