/** What apps were sent on streams of HTTP, kept for a while: one whose stream broke off goes on where it stopped. */
import type { Message } from '../../wire/message.ts';
import { eventOf } from './event-stream.ts';

/** Of all sessions together; the oldest give way. */
const maxBytes = 8_000_000;
/** What is larger is not given a second time. */
const maxEventBytes = 1_000_000;
const maxEvents = 2_000;
const keptMs = 5 * 60_000;

/** The stream that belongs to no request. */
export const standingStream = 'standing';

interface KeptEvent {
  readonly of: SessionEvents;
  readonly number: number;
  readonly stream: string;
  /** As it was written. */
  readonly text: string;
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
    this.#bytes += event.text.length;
    for (const oldest of this.#events) {
      const isOver = this.#bytes > maxBytes || this.#events.size > maxEvents || event.at - oldest.at > keptMs;
      if (!isOver) return;
      this.drop(oldest);
      oldest.of.forget(oldest.number);
    }
  }

  /** For SessionEvents. */
  drop(event: KeptEvent): void {
    if (this.#events.delete(event)) this.#bytes -= event.text.length;
  }
}

/** The events of one session: an id is its stream's name and the event's number in the session. */
export class SessionEvents {
  readonly #all: KeptEvents;
  /** By number, in order; most sessions have none. */
  #events: Map<number, KeptEvent> | undefined;
  #count = 0;

  constructor(all: KeptEvents) {
    this.#all = all;
  }

  /** An id for an event that says nothing. */
  mark(stream: string): string {
    return `${stream}.${(this.#count += 1)}`;
  }

  /** Keeps what is sent on the stream, where it is not too large. Returns the event as it is to be written, with its id. */
  keep(stream: string, message: Message): readonly (string | Buffer)[] {
    const pieces = eventOf(message, this.mark(stream));
    if (pieces.reduce((sum, piece) => sum + piece.length, 0) < maxEventBytes) {
      const event: KeptEvent = { of: this, number: this.#count, stream, text: pieces.join(''), at: Date.now() };
      this.#events ??= new Map();
      this.#events.set(event.number, event);
      this.#all.keep(event);
    }
    return pieces;
  }

  /** The stream that an event was sent on; undefined for one that never was. */
  streamOf(eventId: string): string | undefined {
    const number = numberOf(eventId);
    return number === undefined || number > this.#count ? undefined : streamOf(eventId);
  }

  /** What came on its stream behind the event, as it was written. */
  after(eventId: string): readonly string[] {
    const [stream, last] = [streamOf(eventId), numberOf(eventId) ?? this.#count];
    const all = [...(this.#events?.values() ?? [])];
    return all.filter((event) => event.stream === stream && event.number > last).map(({ text }) => text);
  }

  /** For KeptEvents, which has dropped it. */
  forget(number: number): void {
    this.#events?.delete(number);
  }

  /** With its session. */
  clear(): void {
    for (const event of this.#events?.values() ?? []) this.#all.drop(event);
    this.#events = undefined;
  }
}

function streamOf(eventId: string): string | undefined {
  return /^(.+)\.\d+$/.exec(eventId)?.[1];
}

function numberOf(eventId: string): number | undefined {
  const digits = /\.(\d{1,15})$/.exec(eventId)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
