/**
 * Records data-flow questions, asked or not: counts by day, and the latest with their text. One document, so that
 * after a week of `record` the user can see what `ask` would have meant.
 */
import { Emitter } from '../../base/emitter.ts';
import { isObject, objectOrEmpty } from '../../base/json.ts';
import type { JsonDocument } from '../../base/json-document.ts';

/** Outcomes of a call that the check would ask about. */
export const dataFlowOutcomes = ['recorded', 'allowed', 'refused', 'unanswered', 'masked'] as const;

export type DataFlowOutcome = (typeof dataFlowOutcomes)[number];

export interface DataFlowEvent {
  /** ms since 1970. */
  readonly at: number;
  readonly app: string;
  readonly tool: string;
  readonly sentence: string;
  readonly outcome: DataFlowOutcome;
}

type Counts = Readonly<Partial<Record<DataFlowOutcome, number>>>;

interface StoredStats {
  /** When recording began in this home. */
  readonly since: number;
  /** Counts by day, such as `2026-11-22`, in UTC. */
  readonly days: Readonly<Record<string, Counts>>;
  readonly last: readonly DataFlowEvent[];
  /** Whether the user declined the offer of `ask`. */
  readonly declined?: boolean;
}

export interface DataFlowSummary {
  readonly since: number;
  /** Counts of the last seven days. */
  readonly week: Counts;
  /** Newest last. */
  readonly last: readonly DataFlowEvent[];
}

const maxDays = 60;
const maxEvents = 100;
const dayMs = 86_400_000;
/** Delay before events are written in one batch. */
const flushDelayMs = 1000;

export class DataFlowStats {
  readonly changed = new Emitter();
  readonly #document: JsonDocument;
  readonly #now: () => number;
  #stored: StoredStats;
  /** Events not written yet. */
  #fresh: DataFlowEvent[] = [];
  #declined = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(document: JsonDocument, now: () => number) {
    this.#document = document;
    this.#now = now;
    this.#stored = { since: now(), days: {}, last: [] };
    document.changed.on(() => void this.#look());
  }

  /** Loads the document, or starts recording in a home without one. Never rejects. */
  async start(): Promise<void> {
    if (!(await this.#look())) this.#writeSoon();
  }

  record(event: DataFlowEvent): void {
    this.#fresh.push(event);
    // Bounds the events that could not be stored.
    if (this.#fresh.length > 1000) this.#fresh.shift();
    this.#stored = withEvent(this.#stored, event);
    this.#writeSoon();
    this.changed.emit();
  }

  summary(): DataFlowSummary {
    const { since, days, last } = this.#stored;
    const from = dayOf(this.#now() - 6 * dayMs);
    const week = Object.entries(days).filter(([day]) => day >= from);
    return { since, week: week.reduce<Counts>((sum, [, counts]) => added(sum, counts), {}), last };
  }

  /** Whether `ask` can be offered, with what it would have meant: a week was recorded and the user has not declined. */
  get canOfferApproval(): boolean {
    return this.#stored.declined !== true && this.#now() - this.#stored.since >= 7 * dayMs;
  }

  /** The user declines the offer. */
  decline(): void {
    this.#declined = true;
    this.#stored = { ...this.#stored, declined: true };
    this.#writeSoon();
    this.changed.emit();
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) this.#write();
    await this.#writing;
  }

  /** Returns whether the document exists. */
  async #look(): Promise<boolean> {
    const known = storedIn(await this.#document.read());
    if (known === undefined) return false;
    this.#stored = this.#fresh.reduce(withEvent, known);
    // Readers so far received empty statistics.
    this.changed.emit();
    return true;
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => this.#write(), flushDelayMs).unref();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const fresh = this.#fresh;
    this.#fresh = [];
    // If the document cannot be written (a full disk), the events are kept until the core stops.
    this.#writing = this.#writing.then(() => this.#store(fresh)).catch(() => undefined);
  }

  #store(fresh: readonly DataFlowEvent[]): Promise<void> {
    return this.#document.change((value) => {
      const before = storedIn(value) ?? { since: this.#stored.since, days: {}, last: [] };
      return [fresh.reduce(withEvent, this.#declined ? { ...before, declined: true } : before), undefined];
    });
  }
}

function storedIn(value: unknown): StoredStats | undefined {
  if (!isObject(value) || typeof value['since'] !== 'number' || !Array.isArray(value['last'])) return undefined;
  return { ...(value as unknown as StoredStats), days: objectOrEmpty(value['days']) as StoredStats['days'] };
}

function withEvent(stored: StoredStats, event: DataFlowEvent): StoredStats {
  const day = dayOf(event.at);
  const days = { ...stored.days, [day]: added(stored.days[day] ?? {}, { [event.outcome]: 1 }) };
  const old = Object.keys(days).sort().slice(0, -maxDays);
  for (const one of old) delete days[one];
  return { ...stored, days, last: [...stored.last, event].slice(-maxEvents) };
}

function added(one: Counts, other: Counts): Counts {
  const sums = dataFlowOutcomes.map((outcome) => [outcome, (one[outcome] ?? 0) + (other[outcome] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, count]) => count > 0));
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
