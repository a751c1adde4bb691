/** What apps were sent on streams of HTTP, kept for a while: one whose stream broke off goes on where it stopped. */
import type { EventStore } from '@modelcontextprotocol/server';

type Message = Parameters<EventStore['storeEvent']>[1];

/** Of all sessions together, about; the oldest give way. */
const maxBytes = 8_000_000;
/** What is larger is not given a second time. */
const maxEventBytes = 1_000_000;
const maxEvents = 2_000;
const keptMs = 5 * 60_000;
/** Of one session: calls whose stream can be gone on with though nothing has come of them yet. */
const maxRunning = 1_000;

/** The stream that belongs to no request, as the SDK names it. */
const standingStream = '_GET_stream';

interface KeptEvent {
  readonly of: SessionEvents;
  readonly number: number;
  readonly stream: string;
  readonly message: Message;
  readonly bytes: number;
  readonly at: number;
}

/** Whether an event's id is of the stream that stays open for as long as the app is there. */
export function isOfStandingStream(eventId: string): boolean {
  return streamOf(eventId) === standingStream;
}

/** All sessions share one room. */
export class KeptEvents {
  readonly #events = new Set<KeptEvent>();
  #bytes = 0;

  /** Those of one session; nobody else's can be asked for by it. */
  ofSession(): SessionEvents {
    return new SessionEvents(this);
  }

  /** For SessionEvents. */
  keep(event: KeptEvent): void {
    this.#events.add(event);
    this.#bytes += event.bytes;
    for (const oldest of this.#events) {
      const isOver = this.#bytes > maxBytes || this.#events.size > maxEvents || event.at - oldest.at > keptMs;
      if (!isOver) return;
      this.drop(oldest);
      oldest.of.forget(oldest.number);
    }
  }

  /** For SessionEvents. */
  drop(event: KeptEvent): void {
    if (this.#events.delete(event)) this.#bytes -= event.bytes;
  }
}

/** What the SDK's transport of one session keeps and reads again. */
class SessionEvents implements EventStore {
  readonly #all: KeptEvents;
  /** By number, in order. */
  readonly #events = new Map<number, KeptEvent>();
  /** Streams on which an answer is still to come. */
  readonly #running = new Set<string>();
  #count = 0;

  constructor(all: KeptEvents) {
    this.#all = all;
  }

  async storeEvent(stream: string, message: Message): Promise<string> {
    const number = (this.#count += 1);
    // An empty one opens a stream: it only hands out an id.
    if (Object.keys(message).length === 0) this.#begin(stream);
    else {
      if ('result' in message || 'error' in message) this.#running.delete(stream);
      const bytes = weigh(message, maxEventBytes);
      if (bytes < maxEventBytes) {
        const event: KeptEvent = { of: this, number, stream, message, bytes, at: Date.now() };
        this.#events.set(number, event);
        this.#all.keep(event);
      }
    }
    return `${stream}.${number}`;
  }

  /** Undefined where nothing is to come any more: an app that was let wait would ask again and again. */
  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    const [stream, last] = [streamOf(eventId), numberOf(eventId)];
    if (stream === undefined || last === undefined || last > this.#count) return undefined;
    const isOpen = stream === standingStream || this.#running.has(stream);
    return isOpen || this.#after(stream, last).length > 0 ? stream : undefined;
  }

  async replayEventsAfter(
    eventId: string,
    { send }: { send: (eventId: string, message: Message) => Promise<void> },
  ): Promise<string> {
    const stream = streamOf(eventId) ?? '';
    for (const { number, message } of this.#after(stream, numberOf(eventId) ?? this.#count)) {
      await send(`${stream}.${number}`, message);
    }
    return stream;
  }

  /** For KeptEvents, which has dropped it. */
  forget(number: number): void {
    this.#events.delete(number);
  }

  /** With its session. */
  clear(): void {
    for (const event of this.#events.values()) this.#all.drop(event);
    this.#events.clear();
    this.#running.clear();
  }

  #begin(stream: string): void {
    this.#running.add(stream);
    const [first] = this.#running;
    if (this.#running.size > maxRunning && first !== undefined) this.#running.delete(first);
  }

  #after(stream: string, last: number): KeptEvent[] {
    return [...this.#events.values()].filter((event) => event.stream === stream && event.number > last);
  }
}

/** An id is its stream's name and the event's number in its session. */
function streamOf(eventId: string): string | undefined {
  return /^(.+)\.\d+$/.exec(eventId)?.[1];
}

function numberOf(eventId: string): number | undefined {
  const digits = /\.(\d{1,15})$/.exec(eventId)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** About how many bytes it is as JSON; no further than to the limit. Answers may be nested deeper than functions can be. */
function weigh(message: Message, limit: number): number {
  const left: unknown[] = [message];
  let bytes = 0;
  while (left.length > 0 && bytes < limit) {
    const value = left.pop();
    bytes += typeof value === 'string' ? value.length + 3 : 8;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) for (const name of Object.keys(value)) bytes += name.length + 3;
    for (const one of Object.values(value)) left.push(one);
  }
  return bytes;
}
