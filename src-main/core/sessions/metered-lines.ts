/** A client app's line, with the ledger reading along: which requests came, and every frame that has gone out. */
import { randomUUID } from 'node:crypto';
import type { Exchange } from '../activity/ledger/exchange.ts';
import type { LedgerSession } from '../activity/ledger/ledger-session.ts';
import type { Ledger } from '../activity/ledger/ledger.ts';
import type { JsonObject } from '../base/json.ts';
import { isNotification, isRequest, type Message, type RequestId } from '../wire/message.ts';
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
    await this.#line.send(message, options);
    this.#sent(message);
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

// The ledger at an endpoint of 2026-07-28: what one app asks until it is silent for long stands for a session.

const silenceMs = 30 * 60_000;
const mostApps = 50;

interface MeteredRequest {
  readonly exchange: Exchange;
  readonly sent: (message: Message) => void;
}

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

  /** A request of the app, which calls itself `client`, has come; `sent` is told each message that has gone out for it. */
  open(app: string, client: string, method: string, params: JsonObject): MeteredRequest {
    const session = this.#sessionOf(app, client, method);
    const exchange = session.asked(method, params);
    return { exchange, sent: (message) => session.sent(message, 'method' in message ? undefined : exchange) };
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
