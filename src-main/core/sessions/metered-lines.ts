/** A client app's line, with the ledger reading along: which requests came, and every frame that has gone out. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Exchange } from '../activity/ledger/exchange.ts';
import type { LedgerSession } from '../activity/ledger/ledger-session.ts';
import type { Ledger } from '../activity/ledger/ledger.ts';
import { type Batch, longestWhole } from '../activity/ledger/payload-counter.ts';
import type { JsonObject } from '../base/json.ts';
import { FrameReader } from '../wire/frame-reader.ts';
import { isNotification, isRequest, type Message, type RequestId } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { SendOptions, Transport, TransportHandlers } from '../wire/transport.ts';

export class MeteredTransport implements Transport {
  readonly #line: Transport;
  readonly #ledger: LedgerSession;
  readonly #open = new Map<RequestId, Exchange>();

  constructor(line: Transport, ledger: LedgerSession) {
    this.#line = line;
    this.#ledger = ledger;
  }

  /** The request of this id that waits for its answer. */
  exchange(id: RequestId): Exchange | undefined {
    return this.#open.get(id);
  }

  start(handlers: TransportHandlers): Promise<void> {
    return this.#line.start({
      onMessage: (message, origin) => {
        this.#heard(message);
        handlers.onMessage(message, origin);
      },
      onClose: (error) => {
        this.#open.clear();
        this.#ledger.end();
        handlers.onClose(error);
      },
      onOddity: (text) => handlers.onOddity(text),
    });
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    const written = this.#line.asWritten?.(message) ?? message;
    await this.#line.send(written, options);
    // What is too big to be counted whole is sampled as the bytes that came.
    this.#sent(isHuge(message) ? message : written);
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  hold(held: boolean): void {
    this.#line.hold?.(held);
  }

  #heard(message: Message): void {
    if (isRequest(message)) this.#open.set(message.id, this.#ledger.asked(message.method, message.params ?? {}));
    // A request that is given up is not answered.
    else if (isNotification(message) && message.method === 'notifications/cancelled') {
      this.#open.delete(message.params?.['requestId'] as RequestId);
    }
  }

  #sent(message: Message): void {
    const id = 'method' in message || message.id === null ? undefined : message.id;
    this.#ledger.sent(message, id === undefined ? undefined : this.#open.get(id));
    if (id !== undefined) this.#open.delete(id);
  }
}

function isHuge(message: Message): boolean {
  return 'result' in message && message.result instanceof RawJson && message.result.byteLength > longestWhole;
}

// Reads along what an HTTP response carries, JSON or a stream of events: the bytes are looked at later, off the answer's way.

type Write = (...input: unknown[]) => boolean;
type End = (...input: unknown[]) => ServerResponse;

/** `sent` is called for each message that has gone out. */
function meterResponse(response: ServerResponse, batch: Batch, sent: (message: Message) => void): void {
  const frames = new ResponseFrames(sent);
  const held: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    held.push(
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length),
    );
    if (held.length === 1) batch.add(() => frames.read(held.splice(0)));
  };
  const write = response.write.bind(response) as Write;
  const end = response.end.bind(response) as End;
  // Whoever writes, the SDK or we: these two are where every byte goes through.
  response.write = (...input: unknown[]) => {
    keep(input[0]);
    return write(...input);
  };
  response.end = (...input: unknown[]) => {
    keep(input[0]);
    batch.add(() => frames.end());
    return end(...input);
  };
}

const newline = 0x0a;

/** Messages of a body: one JSON text, or the data of events, each of which the SDK writes on a line. */
class ResponseFrames {
  readonly #reader: FrameReader;
  #rest: Buffer = Buffer.alloc(0);
  #isJson: boolean | undefined;

  constructor(sent: (message: Message) => void) {
    this.#reader = new FrameReader({ onMessage: sent, onOddity: () => undefined });
  }

  read(chunks: readonly Buffer[]): void {
    const bytes = Buffer.concat([this.#rest, ...chunks]);
    this.#rest = Buffer.alloc(0);
    this.#isJson ??= bytes[0] === 0x7b;
    if (this.#isJson) this.#reader.push(bytes);
    else this.#events(bytes);
  }

  end(): void {
    this.#reader.end();
  }

  #events(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      const line = bytes.subarray(start, end + 1);
      if (line.subarray(0, 5).toString('latin1') === 'data:') this.#reader.push(line.subarray(5));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
  }
}

// The ledger at an endpoint of 2026-07-28: what one app asks until it is silent for long stands for a session.

const silenceMs = 30 * 60_000;
const mostApps = 50;

interface Open {
  readonly session: LedgerSession;
  seenAt: number;
}

export class ModernMeter {
  readonly #ledger: Ledger;
  readonly #mode: () => string;
  readonly #sessions = new Map<string, Open>();

  constructor(ledger: Ledger, mode: () => string) {
    this.#ledger = ledger;
    this.#mode = mode;
  }

  /** A request of the app, which calls itself `client`, has come that this response will answer. */
  open(app: string, client: string, method: string, params: JsonObject, response: ServerResponse): Exchange {
    const session = this.#sessionOf(app, client, method);
    const exchange = session.asked(method, params);
    meterResponse(response, this.#ledger.batch, (message) => {
      session.sent(message, 'method' in message ? undefined : exchange);
    });
    return exchange;
  }

  end(): void {
    for (const { session } of this.#sessions.values()) session.end();
    this.#sessions.clear();
  }

  /** Whoever discovers begins anew. */
  #sessionOf(app: string, client: string, method: string): LedgerSession {
    const key = JSON.stringify([app, client]);
    const known = this.#sessions.get(key);
    const now = Date.now();
    if (known !== undefined && method !== 'server/discover' && now - known.seenAt < silenceMs) {
      known.seenAt = now;
      return known.session;
    }
    known?.session.end();
    this.#makeRoom();
    const session = this.#ledger.open({ id: randomUUID(), who: () => ({ app, mode: this.#mode(), client }) });
    this.#sessions.set(key, { session, seenAt: now });
    return session;
  }

  #makeRoom(): void {
    if (this.#sessions.size < mostApps) return;
    const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.seenAt - b.seenAt);
    if (oldest === undefined) return;
    oldest[1].session.end();
    this.#sessions.delete(oldest[0]);
  }
}
