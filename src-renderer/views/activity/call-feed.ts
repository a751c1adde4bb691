/**
 * The list of calls as it grows: new ones in front while it is live, older ones behind when they are scrolled to. Told
 * what to show, it tells what there is; it knows nothing of a page, so that it is tested without one.
 */
import type { ActivityPage, ActivityQuery, CallSummary, RpcFailure } from '../../../src-main/rpc/contract.ts';
import { RowThrottle } from '../../lib/row-pace.ts';
import { type CallFilter, toSearch } from './call-filter.ts';
import { askAfter, totalsOf, type Totals, withNewer, withOlder } from './call-pages.ts';

export interface Feed {
  /** The newest first, from the top without a gap. */
  readonly calls: readonly CallSummary[];
  /** Rows that the list has in all, those not read yet included. */
  readonly rows: number;
  /** So many rows were put in front since the list began: a row is known by its place less this. */
  readonly moved: number;
  /** Of everything that fits; undefined before the first answer. */
  readonly totals: Totals | undefined;
  /** How many came while the list was held still. */
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

/** Fills one window; the rest loads when the user scrolls to it. */
const firstPage = 40;
/** On the way down each page is twice as long as what was read before, up to this. */
const longPage = 1000;
/** Held on the page; what is older is read again on the way down. */
const maxCalls = 1000;

export class CallFeed {
  readonly #options: FeedOptions;
  #feed = emptyFeed;
  #search: ActivityQuery = {};
  #line = new AbortController();
  readonly #pace = new RowThrottle();
  #isLive = true;
  #isAtEnd = false;
  /** Rows up to this one are in sight; 0: not known yet. */
  #wanted = 0;
  /** Up to these ids calls were read, and were counted while the list was held. */
  #readTo = 0;
  #countedTo = 0;
  #readingOlder = false;
  #readingNewer = false;
  #isBehind = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Begins again with what fits. */
  async show(filter: CallFilter): Promise<void> {
    this.close();
    this.#line = new AbortController();
    this.#search = toSearch(filter);
    this.#isLive = true;
    this.#isAtEnd = this.#readingOlder = this.#readingNewer = this.#isBehind = false;
    this.#wanted = 0;
    await this.#reading(async () => this.#begin(await this.#ask({ limit: this.#inSight })));
  }

  /** In ms: how long to wait before the next `refresh`. */
  get pause(): number {
    return this.#pace.wait(this.#options.now());
  }

  /** Something was recorded. */
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

  /** Rows up to this one (not included) are looked at. */
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

  /** Live: what comes is shown at once. Else it is held until `showWaiting`. */
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

  /** How many rows a reading of the newest is worth. */
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
    // Scrolled away while the answer was on its way.
    if (!this.#isLive) return void (this.#isBehind = true);
    // Those of now: another filter's may have come meanwhile.
    const { calls: before, moved } = this.#feed;
    const isGap = page.more && (page.calls.at(-1)?.id ?? 0) > (before[0]?.id ?? 0);
    const all = isGap ? page.calls : withNewer(page.calls, before);
    // Who looks at the top for days does not need all that came by.
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
      // Where all rows are others, those that are drawn become the new ones: to make them costs many times as much.
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

  /** The core forgets its oldest records: at the end the list is as long as what was read. */
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
