/**
 * The list of calls as it grows: new ones in front while it is live, older ones behind when they are scrolled to. Told what
 * to show, it tells what there is; it knows nothing of a page, so that it is tested without one.
 */
import type { ActivityPage, ActivityQuery, CallSummary, RpcFailure } from '../../../src-main/rpc/contract.ts';
import { type CallFilter, toSearch } from './call-filter.ts';
import { askAfter, totalsOf, type Totals, withNewer, withOlder } from './call-pages.ts';

export interface Feed {
  /** The newest first, from the top without a gap. */
  readonly calls: readonly CallSummary[];
  /** Rows that the list has in all, those not read yet included. */
  readonly rows: number;
  /** Of everything that fits; undefined before the first answer. */
  readonly totals: Totals | undefined;
  /** Came while the list was held still. */
  readonly waiting: readonly CallSummary[];
  /** There are more of them than are kept. */
  readonly hasMoreWaiting: boolean;
  readonly failure: RpcFailure | undefined;
}

export interface FeedOptions {
  readonly ask: (query: ActivityQuery, signal: AbortSignal) => Promise<ActivityPage>;
  readonly toFailure: (error: unknown) => RpcFailure;
  readonly onchange: (feed: Feed) => void;
  readonly now: () => number;
}

export const emptyFeed: Feed = {
  calls: [],
  rows: 0,
  totals: undefined,
  waiting: [],
  hasMoreWaiting: false,
  failure: undefined,
};

const firstPage = 200;
/** Five times a second in a burst: a tall window full. The rest is read when somebody scrolls to it. */
const livePage = 100;
const longPage = 1000;

export class CallFeed {
  readonly #options: FeedOptions;
  #feed = emptyFeed;
  #search: ActivityQuery = {};
  #line = new AbortController();
  #isLive = true;
  #isAtEnd = false;
  #wanted = 0;
  #readingOlder = false;
  #readingNewer = false;
  #isBehind = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Begins anew with what fits. */
  async show(filter: CallFilter): Promise<void> {
    this.close();
    this.#line = new AbortController();
    this.#search = toSearch(filter);
    this.#isLive = true;
    this.#isAtEnd = this.#readingOlder = this.#readingNewer = this.#isBehind = false;
    this.#wanted = 0;
    await this.#reading(async () => this.#begin(await this.#ask({ limit: firstPage })));
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
    if (isLive && !this.#isLive) this.showWaiting();
    this.#isLive = isLive;
  }

  showWaiting(): void {
    this.#isLive = true;
    const { waiting, hasMoreWaiting, calls, totals } = this.#feed;
    // More came than was held: what lies between is read again on the way down.
    const next = hasMoreWaiting ? waiting : withNewer(waiting, calls);
    if (hasMoreWaiting) this.#isAtEnd = false;
    this.#tell({ calls: next, waiting: [], hasMoreWaiting: false, rows: this.#rows(next, totals?.total ?? 0) });
    void this.refresh();
  }

  close(): void {
    this.#line.abort();
  }

  #begin(page: ActivityPage): void {
    this.#isAtEnd = !page.more;
    const rows = this.#rows(page.calls, page.total);
    this.#tell({ ...emptyFeed, calls: page.calls, totals: totalsOf(page), rows });
  }

  async #takeNewer(): Promise<void> {
    const page = await this.#ask({ afterId: askAfter(this.#feed.calls, this.#options.now()), limit: livePage });
    // Scrolled away while the answer was on its way.
    if (!this.#isLive) return void (this.#isBehind = true);
    const all = page.more ? page.calls : withNewer(page.calls, this.#feed.calls);
    // Who looks at the top for days does not need all that came by: it is read again on the way down.
    const calls = all.slice(0, longPage);
    if (page.more || calls.length < all.length) this.#isAtEnd = false;
    this.#tell({ calls, totals: totalsOf(page), rows: this.#rows(calls, page.total), failure: undefined });
  }

  async #holdNewer(): Promise<void> {
    const { waiting, hasMoreWaiting, calls } = this.#feed;
    // More than are held are not read; only the totals move on.
    const limit = hasMoreWaiting ? 1 : longPage;
    const page = await this.#ask({ afterId: waiting[0]?.id ?? calls[0]?.id ?? 0, limit });
    if (this.#isLive) return void (this.#isBehind = true);
    if (hasMoreWaiting) return this.#tell({ totals: totalsOf(page), failure: undefined });
    const all = page.more ? page.calls : withNewer(page.calls, waiting);
    const isTooMany = all.length > longPage;
    this.#tell({
      waiting: all.slice(0, longPage),
      hasMoreWaiting: page.more || isTooMany,
      totals: totalsOf(page),
      failure: undefined,
    });
  }

  async #takeOlder(): Promise<void> {
    const { calls: before, totals } = this.#feed;
    const page = await this.#ask({ beforeId: before.at(-1)?.id ?? 0, limit: longPage });
    // Another list was begun at the top meanwhile.
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
