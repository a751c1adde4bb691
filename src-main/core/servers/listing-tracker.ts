/** Tracks a server's listing: from the cache at first, then read and refreshed while it is connected. */
import { errorText, toAppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { isSameJson } from '../trust/canonical-json.ts';
import type { ServerPins } from '../trust/pins/server-pins.ts';
import type { Result } from '../wire/message.ts';
import type { Connection } from './connection.ts';
import type { Handshake } from './handshake.ts';
import { toIntroduction, withIntroduction } from './server-introduction.ts';
import { backoffMs } from './shared-connection.ts';
import { emptyListing, fetchListing, type Listing } from './listing.ts';
import { type Fetched, ListingRefresher } from './listing-refresher.ts';
import type { ListingCache } from './listing-cache.ts';

interface ListingKeeperOptions {
  /** Key of the cache entry. */
  readonly hash: string;
  readonly cache: ListingCache;
  /** Pinned definitions; undefined: no comparison. */
  readonly pins: ServerPins | undefined;
  /**
   * Whether the listing comes from one user's connection and is shown to all; resources, which are that user's
   * documents, are then omitted.
   */
  readonly isEachOnes?: boolean | undefined;
  readonly now: () => number;
  /** Time limit for a list, in ms. */
  readonly silenceMs: number;
  readonly onWarning: (text: string) => void;
  /** Time since the last tool call, in ms. */
  readonly sinceCallMs?: () => number;
  /** Receives the steps of a refresh for the server's log. */
  readonly onStep: (text: string, level: 'debug' | 'info' | 'warning') => void;
  /**
   * Called after a listing was read. `changed`: it differs from the previous one; `here`: on the tracked connection.
   */
  readonly onListed: (changed: boolean, here: boolean) => void;
  /** Called if reading failed because of the connection. */
  readonly onFailed: (connection: Connection, error: Error) => void;
  /** Interval for servers that do not notify of changes, in ms (default: five minutes). */
  readonly pollMs?: number;
}

/** Within this time after a call, new tools count as its effect, in ms. */
const growthWindowMs = 60_000;
const defaultPollMs = 5 * 60_000;
/** Number of retries of failed lists, over about four minutes. */
const maxFailedReads = 8;

/** A server's listing and `initialize` result, as sent to a client with our capabilities. */
export interface ObservedListing {
  readonly listing: Listing;
  readonly handshake: Handshake;
}

export class ListingTracker {
  readonly #options: ListingKeeperOptions;
  readonly #asks = new Set<string>();
  readonly #refresher = new ListingRefresher({
    fetch: () => this.#refresh(),
    onTooMany: (waitMs) => this.#options.onWarning(tooManyChanges(waitMs)),
  });
  #connection: Connection | undefined;
  /** A connection in another protocol that notified of a change, and is read instead. */
  #announcer: Connection | undefined;
  #refusesHandshake = false;
  /** The connection whose lists have been read. */
  #read: Connection | undefined;
  #poll: NodeJS.Timeout | undefined;
  /** Timer that retries failed lists. */
  #again: NodeJS.Timeout | undefined;
  /** Number of consecutive failed reads. */
  #failedReads = 0;
  #isRequestedAgain = false;
  /** Whether an announced change has not been read yet. */
  #isAnnounced = false;
  /** Whether the change was announced within a minute of a call. */
  #isAfterCall = false;
  /** Serializes writes. */
  #saving: Promise<void> = Promise.resolve();

  /** The server's own listing, unfiltered. */
  #said: Listing = emptyListing;
  #greeting: Handshake | undefined;
  #introduced: JsonObject | undefined;
  /** The cached `initialize` result. */
  #cached: Handshake | undefined;

  /** The approved part of the server's listing. */
  listing: Listing = emptyListing;
  /** The approved part of the server's `initialize` result. */
  handshake: Handshake | undefined;
  /** ms since 1970; undefined until there is a listing. */
  listedAt: number | undefined;
  problems: readonly string[] = [];

  constructor(options: ListingKeeperOptions) {
    this.#options = options;
    options.pins?.changed.on(() => {
      if (this.listedAt === undefined || !this.#show()) return;
      options.onListed(true, true);
    });
  }

  get observed(): ObservedListing | undefined {
    const handshake = this.#greeting;
    return handshake === undefined || this.listedAt === undefined ? undefined : { listing: this.#said, handshake };
  }

  /** Methods of the server's requests to its client, now or at an earlier start. */
  get requestMethods(): ReadonlySet<string> {
    return this.#asks;
  }

  /** Whether the server supports only 2026-07-28, as detected now or at an earlier start. */
  get refusesHandshake(): boolean {
    return this.#refusesHandshake;
  }

  async restore(): Promise<void> {
    const { cache, hash, pins } = this.#options;
    const [cached] = await Promise.all([cache.read(hash), pins?.restore()]);
    if (cached === undefined) return;
    this.#said = cached.listing;
    this.#greeted(cached.handshake);
    await pins?.evaluate(cached.listing, this.#introduced);
    this.#show();
    this.listedAt = cached.at;
    this.#refusesHandshake = cached.refusesHandshake === true;
    for (const method of cached.asks) this.#asks.add(method);
  }

  recordRequestMethod(method: string): void {
    if (this.#asks.has(method)) return;
    this.#asks.add(method);
    this.#remember();
  }

  recordStatelessOnly(): void {
    this.#refusesHandshake = true;
    this.#remember();
  }

  follows(connection: Connection): boolean {
    return this.#connection === connection;
  }

  /** Tracks a connection: reads its lists at once, and every five minutes if it does not notify of changes. */
  attach(connection: Connection, handshake: Handshake): void {
    clearInterval(this.#poll);
    this.#connection = connection;
    // Notifications of the previous connection no longer count.
    this.#announcer = undefined;
    // Another release may support other protocol versions.
    const isAnother = JSON.stringify(this.#greeting?.serverInfo) !== JSON.stringify(handshake.serverInfo);
    if (isAnother) this.#refusesHandshake = false;
    this.#greeted(handshake);
    void this.#refresher.refreshAfterCurrent();
    const { tools } = handshake.capabilities;
    if (isObject(tools) && tools['listChanged'] === true) return;
    this.#poll = setInterval(() => this.#refresher.schedule(), this.#options.pollMs ?? defaultPollMs);
    this.#poll.unref();
  }

  /** Reads the lists soon if connected. */
  refreshIfConnected(): void {
    if (this.#connection !== undefined) this.#refresher.schedule();
  }

  detach(): void {
    this.#connection = undefined;
    this.#read = undefined;
    clearInterval(this.#poll);
    clearTimeout(this.#again);
    this.#failedReads = 0;
    this.#refresher.stop();
  }

  /**
   * Handles a change notification on this connection. If that belongs to a second process, the change is read there.
   */
  scheduleRefresh(on: Connection | undefined = this.#connection): void {
    if (on === undefined) return;
    this.#announcer = on === this.#connection ? undefined : on;
    this.#noteAnnouncement(on);
    this.#isAfterCall ||= (this.#options.sinceCallMs?.() ?? Infinity) <= growthWindowMs;
    this.#refresher.schedule();
  }

  /** Logs the first notification of a burst; the next one is logged once the lists have been read. */
  #noteAnnouncement({ handshake }: Connection): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#options.onStep('The server reported changed lists.', 'info');
    const capabilities = handshake?.capabilities ?? {};
    const isDeclared = listCapabilities.some((key) => objectOrEmpty(capabilities[key])['listChanged'] === true);
    if (!isDeclared)
      this.#options.onStep('The server reports list changes without declaring "listChanged".', 'warning');
  }

  /** Resolves after the current refresh. */
  currentRefresh(): Promise<void> {
    return this.#refresher.refresh();
  }

  /** Resolves when the cache is up to date. */
  saved(): Promise<void> {
    return this.#saving;
  }

  async #refresh(): Promise<Fetched> {
    const connection = this.#announcer ?? this.#connection;
    const isOurs = connection === this.#connection;
    const handshake = isOurs ? this.#greeting : connection?.handshake;
    const isAfterCall = this.#isAfterCall;
    this.#announcer = undefined;
    this.#isAnnounced = this.#isAfterCall = false;
    if (connection === undefined || handshake === undefined) return nothingFetched;
    const ask = (method: string, params: JsonObject, timeoutMs = this.#options.silenceMs): Promise<Result> =>
      connection.request(method, params, undefined, { timeoutMs });
    const isAgain = isOurs ? connection === this.#read : this.listedAt !== undefined;
    if (isAgain) this.#options.onStep('Refreshing the lists.', 'debug');
    try {
      const {
        listing: read,
        problems,
        mayComeYet,
        costMs,
      } = await fetchListing(ask, handshake.capabilities, this.#said, isOurs && connection !== this.#read);
      const listing = this.#options.isEachOnes === true ? { ...read, resources: [] } : read;
      if (isOurs && connection !== this.#connection) return nothingFetched;
      const isSameProcess = isOurs && connection === this.#read;
      if (isOurs) {
        this.#read = connection;
        this.#askAgainIf(mayComeYet);
      }
      this.problems = [...new Set(problems)];
      // The user cannot accept what is not known yet.
      if (isOurs && this.listedAt === undefined && this.#isRequestedAgain && read.tools.length === 0)
        return this.#nothingYet();
      const before = cpuMs();
      const moment = { sameProcess: isSameProcess, isAfterCall: isAfterCall && isSameProcess };
      await this.#options.pins?.evaluate(listing, this.#introduced, moment);
      const changed = this.#accept(listing, isOurs);
      if (isAgain) this.#reportEnd(changed);
      // The first reading hashes programs and loads modules, so its cost does not predict the next one.
      return { costMs: isAgain ? costMs + cpuMs() - before : 0, changed };
    } catch (error) {
      if (connection === this.#connection) this.#options.onFailed(connection, toAppError(error, 'server_protocol'));
      if (isAgain) this.#options.onStep(`Could not refresh the lists: ${errorText(error)}`, 'warning');
      return nothingFetched;
    }
  }

  /** A server that is starting up may answer its first lists with errors. */
  #askAgainIf(mayComeYet: boolean): void {
    clearTimeout(this.#again);
    this.#failedReads = mayComeYet ? this.#failedReads + 1 : 0;
    this.#isRequestedAgain = mayComeYet && this.#failedReads <= maxFailedReads;
    if (!this.#isRequestedAgain) return;
    const pauseMs = backoffMs(this.#failedReads, Math.random);
    this.#again = setTimeout(() => this.#refresher.schedule(), pauseMs).unref();
  }

  #nothingYet(): Fetched {
    this.#options.onListed(false, true);
    return nothingFetched;
  }

  /** A list that failed stays as it was, and is reported as a problem. */
  #reportEnd(changed: boolean): void {
    for (const problem of this.problems) this.#options.onStep(problem, 'warning');
    this.#options.onStep(`Lists refreshed: ${changed ? 'changed' : 'unchanged'}.`, changed ? 'info' : 'debug');
  }

  /** Stores the listing; returns whether it has changed. */
  #accept(listing: Listing, here: boolean): boolean {
    const isFirst = this.listedAt === undefined;
    const isOther = isFirst || !isSameListing(listing, this.#said);
    this.listedAt = this.#options.now();
    if (isOther) this.#said = listing;
    const changed = this.#show() || isFirst;
    if (isOther || this.#cached !== this.#greeting) this.#remember();
    this.#options.onListed(changed, here);
    return isOther;
  }

  #greeted(handshake: Handshake): void {
    this.#greeting = handshake;
    this.#introduced = toIntroduction(handshake);
    this.handshake = this.#shownHandshake();
  }

  /** Updates what is shown; returns whether it has changed. */
  #show(): boolean {
    const shown = this.#options.pins?.acceptedListing(this.#said) ?? this.#said;
    const handshake = this.#shownHandshake();
    if (isSameListing(shown, this.listing) && isSameJson(handshake?.raw, this.handshake?.raw)) return false;
    this.listing = shown;
    this.handshake = handshake;
    return true;
  }

  #shownHandshake(): Handshake | undefined {
    const [greeting, introduced] = [this.#greeting, this.#introduced];
    if (greeting === undefined || introduced === undefined) return greeting;
    const shown = this.#options.pins?.showIntroduction(introduced) ?? introduced;
    return shown === introduced ? greeting : withIntroduction(greeting, shown);
  }

  #remember(): void {
    this.#saving = this.#saving.then(() => this.#save());
  }

  async #save(): Promise<void> {
    const { hash, cache, onWarning } = this.#options;
    const greeting = this.#greeting;
    if (greeting === undefined || this.listedAt === undefined) return;
    this.#cached = greeting;
    try {
      await cache.write({
        hash,
        at: this.listedAt,
        handshake: greeting,
        listing: this.#said,
        asks: [...this.#asks],
        refusesHandshake: this.#refusesHandshake,
      });
    } catch (error) {
      onWarning(`Could not cache the listing: ${errorText(error)}`);
    }
  }
}

const listCapabilities = ['tools', 'resources', 'prompts'] as const;
/** CPU time of this thread, in ms; of the whole process on Node.js before 23.9. */
function cpuMs(): number {
  const isOfThread = typeof (process as Partial<NodeJS.Process>).threadCpuUsage === 'function';
  const { user, system } = isOfThread ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
}

const nothingFetched: Fetched = { costMs: 0, changed: false };

function tooManyChanges(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  return `The lists changed six times within a minute. The next refresh is in ${seconds} s.`;
}

/** Compares listings; equal entries are the same objects. */
function isSameListing(one: Listing, other: Listing): boolean {
  return ([...Object.keys(emptyListing), 'skills'] as (keyof Listing)[]).every((key) => {
    const [a = [], b = []] = [one[key], other[key]];
    return a === b || (a.length === b.length && a.every((entry, at) => entry === b[at]));
  });
}
