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
import { emptyListing, fetchListing, type Listing, type ListKey } from './listing.ts';
import { type Fetched, ListingRefresher } from './listing-refresher.ts';
import type { ListingCache } from './listing-cache.ts';

interface ListingKeeperOptions {
  /** Key of the cache entry. */
  readonly hash: string;
  readonly cache: ListingCache;
  /** Pinned definitions; undefined: nothing is compared. */
  readonly pins: ServerPins | undefined;
  /**
   * It is read on one user's own line and shown to all: resources, which are documents of that user's, are left out.
   */
  readonly isEachOnes?: boolean | undefined;
  readonly now: () => number;
  /** How long the server may be silent about a list, in ms. */
  readonly silenceMs: number;
  readonly onWarning: (text: string) => void;
  /** How long ago a tool of it was called, in ms. */
  readonly sinceCallMs?: () => number;
  /** Receives the steps of a refresh for the server's log. */
  readonly onStep: (text: string, level: 'debug' | 'info' | 'warning') => void;
  /** A listing was read; `changed`: it is not what it was; `here`: on the connection that is followed. */
  readonly onListed: (changed: boolean, here: boolean) => void;
  /** Reading failed because the line did. */
  readonly onFailed: (connection: Connection, error: Error) => void;
  /** How often a server that does not announce changes is read, in ms (five minutes by default). */
  readonly pollMs?: number;
}

/** Within this time after a call, new tools count as its effect. */
const growthWindowMs = 60_000;
const defaultPollMs = 5 * 60_000;
/** Lists that failed are asked for again so often, over some four minutes. */
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
  /** A line of another era that said that something changed there, to be read instead. */
  #announcer: Connection | undefined;
  #refusesHandshake = false;
  /** The connection whose lists have been read once. */
  #read: Connection | undefined;
  #poll: NodeJS.Timeout | undefined;
  /** Timer that retries failed lists. */
  #again: NodeJS.Timeout | undefined;
  /** Reads in a row in which a list failed. */
  #failedReads = 0;
  #isRequestedAgain = false;
  /** A change was announced and not read yet. */
  #isAnnounced = false;
  /** Whether the change was announced within a minute of a call. */
  #isAfterCall = false;
  /** Writes follow each other, so that the last one stays. */
  #saving: Promise<void> = Promise.resolve();

  /** The server's own listing, unfiltered. */
  #said: Listing = emptyListing;
  #greeting: Handshake | undefined;
  #introduced: JsonObject | undefined;
  /** The greeting that is in the cache. */
  #cached: Handshake | undefined;

  /** The approved part of the server's listing. */
  listing: Listing = emptyListing;
  /** The same for the server's own introduction. */
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

  /** Methods by which the server has asked its client things, now or at an earlier start. */
  get requestMethods(): ReadonlySet<string> {
    return this.#asks;
  }

  /** The server speaks 2026-07-28 and nothing older, as was found out now or at an earlier start. */
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

  /** Follows a connection: reads its lists at once, and every five minutes where it does not announce changes. */
  attach(connection: Connection, handshake: Handshake): void {
    clearInterval(this.#poll);
    this.#connection = connection;
    // What the line before it said last is nothing to ask it about.
    this.#announcer = undefined;
    // Another release may speak other revisions.
    const isAnother = JSON.stringify(this.#greeting?.serverInfo) !== JSON.stringify(handshake.serverInfo);
    if (isAnother) this.#refusesHandshake = false;
    this.#greeted(handshake);
    void this.#refresher.refreshAfterCurrent();
    const { tools } = handshake.capabilities;
    if (isObject(tools) && tools['listChanged'] === true) return;
    this.#poll = setInterval(() => this.#refresher.schedule(), this.#options.pollMs ?? defaultPollMs);
    this.#poll.unref();
  }

  /** Reads its lists soon, where it is connected. */
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
   * The server says something changed, on this connection. Where that is a second process of it, the change is to be
   * seen there and nowhere else.
   */
  scheduleRefresh(on: Connection | undefined = this.#connection): void {
    if (on === undefined) return;
    this.#announcer = on === this.#connection ? undefined : on;
    this.#noteAnnouncement(on);
    this.#isAfterCall ||= (this.#options.sinceCallMs?.() ?? Infinity) <= growthWindowMs;
    this.#refresher.schedule();
  }

  /** Logs the first announcement of a burst; the next is logged once the lists have been read. */
  #noteAnnouncement({ handshake }: Connection): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#options.onStep('It announced that its lists have changed.', 'info');
    const capabilities = handshake?.capabilities ?? {};
    const isDeclared = listCapabilities.some((key) => objectOrEmpty(capabilities[key])['listChanged'] === true);
    if (!isDeclared) this.#options.onStep('It announces changes without having declared "listChanged".', 'warning');
  }

  /** Resolves when what is being read now is read. */
  currentRefresh(): Promise<void> {
    return this.#refresher.refresh();
  }

  /** Resolves when the cache holds what is known. */
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
    if (isAgain) this.#options.onStep('Its lists are read again.', 'debug');
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
      if (isAgain) this.#options.onStep(`Its lists could not be read again: ${errorText(error)}`, 'warning');
      return nothingFetched;
    }
  }

  /** A server that is warming up answers its first lists by errors. */
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

  /** A list that failed or did not come stays what it was, and is a problem of that list. */
  #reportEnd(changed: boolean): void {
    for (const problem of this.problems) this.#options.onStep(problem, 'warning');
    this.#options.onStep(
      `Its lists were read again: ${changed ? 'changed' : 'as before'}.`,
      changed ? 'info' : 'debug',
    );
  }

  /** Returns whether the server says something else than before. */
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

  /** Whether what is shown is not what it was. */
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
      onWarning(`Its listing could not be cached: ${errorText(error)}`);
    }
  }
}

const listCapabilities = ['tools', 'resources', 'prompts'] as const;
/** CPU time of this thread so far, in ms; of the whole process on Node.js before 23.9. */
function cpuMs(): number {
  const isOfThread = typeof (process as Partial<NodeJS.Process>).threadCpuUsage === 'function';
  const { user, system } = isOfThread ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
}

const nothingFetched: Fetched = { costMs: 0, changed: false };

function tooManyChanges(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  return `It changed its lists six times within a minute: they stay as they were read last, and are read again in ${seconds} s.`;
}

/** Compares entries by identity where they were the same when they were read. */
function isSameListing(one: Listing, other: Listing): boolean {
  return (Object.keys(emptyListing) as ListKey[]).every((key) => {
    const [a, b] = [one[key], other[key]];
    return a === b || (a.length === b.length && a.every((entry, at) => entry === b[at]));
  });
}
