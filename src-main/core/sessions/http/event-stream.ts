/**
 * Server-sent events on an HTTP response, one per message. A client that reads too slowly misses progress, and is
 * disconnected in the end.
 */
import type { ServerResponse } from 'node:http';
import type { ByteBudget, ByteHolder } from '../../wire/byte-budget.ts';
import { type Message, serializeMessage } from '../../wire/message.ts';

/** Interval of keep-alive comments, because proxies close silent connections, in ms. */
const keepAliveMs = 15_000;
/** With more unread bytes a reader counts as slow. */
const slowReaderBytes = 8 * 1024 * 1024;
/** With more unread bytes a reader is disconnected. */
const maxUnreadBytes = 1024 * 1024 * 1024;
/** Maximum delay of a timer, in ms. */
const maxTimerMs = 2 ** 31 - 1;
/** Notifications that a slow reader may miss, because they report progress instead of changes. */
const passing: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message']);

const streamHeaders = [
  ...['content-type', 'text/event-stream'],
  ...['cache-control', 'no-cache, no-transform'],
  // nginx would buffer events otherwise.
  ...['x-accel-buffering', 'no'],
];

/** State shared by all streams of a listener. */
export class EventStreams {
  readonly #open = new Map<number, EventStream>();
  readonly #unread: ByteBudget | undefined;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(unread?: ByteBudget) {
    this.#unread = unread;
  }

  /** Number of open streams. */
  get count(): number {
    return this.#open.size;
  }

  /** Responds with a stream. `headers`: names and values in turn, in addition to those of every stream. */
  open(response: ServerResponse, headers: readonly string[] = []): EventStream {
    response.writeHead(200, [...streamHeaders, ...headers]);
    const stream = new EventStream(response, this.#unread);
    const id = ++this.#last;
    this.#open.set(id, stream);
    this.#timer ??= setInterval(() => this.#keepAlive(), keepAliveMs).unref();
    response.once('close', () => {
      this.#open.delete(id);
      stream.closed();
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    return stream;
  }

  #keepAlive(): void {
    for (const stream of this.#open.values()) stream.keepAlive();
  }
}

export class EventStream implements ByteHolder {
  readonly #response: ServerResponse;
  readonly #unread: ByteBudget | undefined;

  /** Writes the head of the response. */
  constructor(response: ServerResponse, unread: ByteBudget | undefined) {
    this.#response = response;
    this.#unread = unread;
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Writes a comment, so that the client receives the response before the first event. */
  begin(): void {
    this.#response.flushHeaders();
  }

  /** Writes only an event's id, so that a client that loses the stream can resume from it after `retryMs`. */
  prime(id: string, retryMs: number): void {
    this.#write([`id: ${id}\nretry: ${retryMs}\ndata: \n\n`]);
  }

  /** `event`: the formatted message, if it exists already. */
  send(message: Message, event: readonly (string | Buffer)[] = formatEvent(message)): void {
    const isPassing = 'method' in message && passing.has(message.method);
    if (isPassing && this.#response.writableLength > slowReaderBytes) return;
    this.#write(event);
  }

  /** Writes a stored event. */
  replay(event: string): void {
    this.#write([event]);
  }

  keepAlive(): void {
    if (this.#response.writableLength === 0) this.#write([': keepalive\n\n']);
  }

  end(): void {
    this.#response.end();
  }

  /** Ends the stream because its memory is needed for others. */
  drop(): void {
    this.#response.destroy();
  }

  /** Called by EventStreams. */
  closed(): void {
    this.#unread?.set(this, 0);
  }

  #write(pieces: readonly (string | Buffer)[]): void {
    if (!this.isOpen) return;
    for (const piece of pieces) this.#response.write(piece);
    const unread = this.#response.writableLength;
    if (unread <= slowReaderBytes) return;
    if (unread > maxUnreadBytes) return this.drop();
    this.#unread?.set(this, unread);
    this.#response.once('drain', () => this.#unread?.set(this, 0));
  }
}

/** Ends a stream when the token that opened it expires, in ms since 1970; undefined: no expiry. */
export function endStreamAt(until: number | undefined, response: ServerResponse): void {
  if (until === undefined) return;
  const timer = setTimeout(() => response.end(), Math.min(until - Date.now(), maxTimerMs)).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Formats a message as an event. Source: HTML, server-sent events: a line break would end the data. */
export function formatEvent(message: Message, id?: string): (string | Buffer)[] {
  const [first = '', ...rest] = serializeMessage(message);
  const head = id === undefined ? 'event: message\ndata: ' : `event: message\nid: ${id}\ndata: `;
  // The last piece ends its line; an empty line ends the event.
  return rest.length === 0 ? [`${head}${first.toString()}\n`] : [head, first, ...rest.map(onOneLine), '\n'];
}

/** Line breaks between the tokens of JSON are white space, and tokens contain none. */
function onOneLine(piece: string | Buffer): string | Buffer {
  if (typeof piece === 'string' || !(piece.includes(0x0a) || piece.includes(0x0d))) return piece;
  const copy = Buffer.from(piece);
  for (const [at, byte] of copy.entries()) if (byte === 0x0a || byte === 0x0d) copy[at] = 0x20;
  return copy;
}
