/**
 * The team's decisions and grants, stored in its database for all replicas. Each replica caches documents and records
 * in memory, so reads do not wait. Writes go to the database first; other replicas are notified and read again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CoreStores,
  type OpenRecordStore,
  parseRecords,
  type PinStore,
  type RecordStore,
} from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import { objectOrEmpty } from '../../core/base/json.ts';
import type { JsonDocument } from '../../core/base/json-document.ts';
import type { Log } from '../../core/base/log.ts';
import type { Change, ChangeFeed } from '../database/change-feed.ts';
import { type DocumentTable, type DocumentKey, type Row, topicOf } from './document-table.ts';
import { TeamPins } from './team-pins.ts';

export interface TeamDocumentsOptions {
  readonly rows: DocumentTable;
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly log: Pick<Log, 'warn'>;
}

export class TeamDocuments {
  readonly #options: TeamDocumentsOptions;
  /** Emitters of changes, by topic. */
  readonly #listeners = new Map<string, Emitter>();
  readonly #documents = new Set<TeamDocument>();
  readonly #stop: () => void;
  readonly #closing = new AbortController();

  constructor(options: TeamDocumentsOptions) {
    this.#options = options;
    this.#stop = options.changes.changed.on((change) => this.#hear(change));
  }

  /** Resolves when its content is cached. Rejects with AppError `store_unreachable` or `secret_locked`. */
  async document(name: string, owner = ''): Promise<TeamDocument> {
    const { rows, log } = this.#options;
    const place = { owner, name };
    const topic = topicOf(place);
    const document = new TeamDocument(place, rows, log, () => {
      stop();
      this.#documents.delete(document);
    });
    // Subscribes before reading, so that no change is missed.
    const stop = this.#listen(topic, () => document.refresh());
    this.#documents.add(document);
    try {
      await document.load();
    } catch (error) {
      await document.close();
      throw error;
    }
    return document;
  }

  /** Synchronous reads from then on. Rejects as `document` does. */
  async records(
    name: string,
    owner = '',
  ): Promise<{ readonly open: OpenRecordStore; readonly document: TeamDocument }> {
    const document = await this.document(name, owner);
    return { document, open: (readOne) => new TeamRecords(document, readOne) };
  }

  pins(): PinStore {
    const { rows } = this.#options;
    return new TeamPins(rows, (topic, look) => this.#listen(topic, look), this.#closing.signal);
  }

  /** Creates the stores of the core. Rejects as `document` does. */
  async stores(): Promise<Partial<CoreStores>> {
    const [proposals, decisions, dataFlowDecisions, dataFlowEvents, looks, tokens, access] = await Promise.all([
      this.document('proposals'),
      this.document('decisions'),
      this.document('data-flow-decisions'),
      this.document('data-flow-events'),
      this.document('looks'),
      this.records('profile-tokens'),
      this.records('app-access'),
    ]);
    return {
      proposals,
      decisions,
      dataFlowDecisions,
      dataFlowEvents,
      looks,
      profileTokens: tokens.open,
      appAccess: access.open,
      pins: this.pins(),
    };
  }

  async close(): Promise<void> {
    this.#stop();
    this.#closing.abort();
    await Promise.all([...this.#documents].map((document) => document.close()));
  }

  #listen(topic: string, look: () => void): () => void {
    const event = this.#listeners.get(topic) ?? new Emitter();
    this.#listeners.set(topic, event);
    return event.on(look);
  }

  #hear({ topic }: Change): void {
    this.#listeners.get(topic)?.emit();
  }
}

/** Maximum number of retries after write conflicts; in each conflict another process made progress. */
const maxAttempts = 50;
/** Interval of retries while the database is unavailable, in ms. */
const retryMs = 1000;

export class TeamDocument implements JsonDocument {
  readonly changed = new Emitter();
  readonly #place: DocumentKey;
  readonly #rows: DocumentTable;
  readonly #log: Pick<Log, 'warn'>;
  readonly #onClose: () => void;
  readonly #closing = new AbortController();
  #row: Row | undefined;
  #value: unknown;
  /** Counts notifications, so that an older read is repeated. */
  #latestVersion = 0;
  #refreshing: Promise<void> | undefined;

  constructor(place: DocumentKey, rows: DocumentTable, log: Pick<Log, 'warn'>, onClose: () => void) {
    this.#place = place;
    this.#rows = rows;
    this.#log = log;
    this.#onClose = onClose;
  }

  /** The last known value. */
  get current(): unknown {
    return this.#value;
  }

  async load(): Promise<void> {
    this.#apply(await this.#rows.read(this.#place));
  }

  read(): Promise<unknown> {
    return Promise.resolve(this.#value);
  }

  async change<R>(change: (value: unknown) => readonly [next: unknown, answer: R], isMinor = false): Promise<R> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const row = await this.#rows.read(this.#place);
      const value = valueOf(row);
      const [next, answer] = change(value);
      if (next === value) {
        this.#apply(row);
        return answer;
      }
      const text = JSON.stringify(next);
      const version = await this.#rows.write(this.#place, text, row?.version, isMinor);
      if (version !== undefined) {
        this.#apply({ text, version });
        return answer;
      }
      await sleep(Math.random() * 5 * attempt);
    }
    throw new AppError('config_conflict', 'Too many concurrent changes.', {
      fix: 'Nothing was changed. Try again.',
    });
  }

  /** The document changed: emits once it was read. */
  refresh(): void {
    this.#latestVersion++;
    this.#refreshing ??= this.#look().finally(() => (this.#refreshing = undefined));
  }

  /** Changes are emitted from the beginning. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#onClose();
    await this.#refreshing;
  }

  async #look(): Promise<void> {
    let isNotified = false;
    for (let seen = -1; seen !== this.#latestVersion && !this.#closing.signal.aborted;) {
      seen = this.#latestVersion;
      try {
        const row = await this.#rows.read(this.#place);
        if (row?.version === this.#row?.version) continue;
        this.#apply(row);
        this.changed.emit();
      } catch (error) {
        if (!isNotified) this.#log.warn(`Changes in ${this.#place.name} cannot be read yet: ${errorText(error)}.`);
        isNotified = true;
        seen = -1;
        await sleep(retryMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    }
  }

  /** Versions increase, so older responses that arrive late are ignored. */
  #apply(row: Row | undefined): void {
    if (row !== undefined && BigInt(row.version) < BigInt(this.#row?.version ?? 0)) return;
    this.#row = row;
    this.#value = valueOf(row);
  }
}

/** Records in a document, by name. */
class TeamRecords<T> implements RecordStore<T> {
  readonly #document: TeamDocument;
  readonly #readOne: (value: Record<string, unknown>) => T | undefined;
  #last: { readonly of: unknown; readonly all: ReadonlyMap<string, T> } | undefined;

  constructor(document: TeamDocument, readOne: (value: Record<string, unknown>) => T | undefined) {
    this.#document = document;
    this.#readOne = readOne;
  }

  read(): ReadonlyMap<string, T> {
    const of = this.#document.current;
    if (this.#last?.of !== of || this.#last === undefined)
      this.#last = { of, all: parseRecords(objectOrEmpty(of), this.#readOne) };
    return this.#last.all;
  }

  readAny(): ReadonlyMap<string, T> {
    return this.read();
  }

  change<R>(change: (all: Map<string, T>) => R, isMinor = false): Promise<R> {
    return this.#document.change((value) => {
      const all = new Map(parseRecords(objectOrEmpty(value), this.#readOne));
      const before = JSON.stringify([...all]);
      const answer = change(all);
      return [JSON.stringify([...all]) === before ? value : Object.fromEntries(all), answer];
    }, isMinor);
  }
}

function valueOf(row: Row | undefined): unknown {
  return row === undefined ? undefined : (JSON.parse(row.text) as unknown);
}
