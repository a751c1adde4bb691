/** A client app's line, with the ledger reading along: which requests came, and every frame that has gone out. */
import { randomUUID } from 'node:crypto';
import type { Exchange } from '../activity/ledger/exchange.ts';
import type { LedgerSession } from '../activity/ledger/ledger-session.ts';
import type { Ledger } from '../activity/ledger/ledger.ts';
import type { JsonObject } from '../base/json.ts';
import { isNotification, isRequest, type Message, type RequestId } from '../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../wire/transport.ts';
import { cancelledAnswer, cancelledByPerson } from './cancelled-answer.ts';

export class MeteredTransport implements Transport {
  readonly #line: Transport;
  readonly #ledger: LedgerSession;
  readonly #open = new Map<RequestId, Exchange>();
  /** Questions of ours that the app has not answered. */
  readonly #questions = new Map<RequestId, Exchange>();
  #handlers: TransportHandlers | undefined;

  constructor(line: Transport, ledger: LedgerSession) {
    this.#line = line;
    this.#ledger = ledger;
  }

  /** The request of this id that waits for its answer. */
  exchange(id: RequestId): Exchange | undefined {
    return this.#open.get(id);
  }

  start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    return this.#line.start({
      onMessage: (message, origin) => {
        this.#heard(message);
        handlers.onMessage(message, origin);
      },
      onClose: (error) => {
        for (const exchange of [...this.#open.values(), ...this.#questions.values()]) this.#ledger.gaveUp(exchange);
        this.#open.clear();
        this.#questions.clear();
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
    if (isRequest(message)) {
      // Two of one id are not told apart: the first is no longer waited for here.
      this.#giveUp(this.#open, message.id);
      const exchange = this.#ledger.asked(message.method, message.params ?? {});
      exchange.cancel = () => this.#cancel(message.id);
      this.#open.set(message.id, exchange);
    } else if (!('method' in message)) {
      const question = message.id === null ? undefined : this.#questions.get(message.id);
      if (question !== undefined) this.#ledger.answered(message, question);
      if (message.id !== null) this.#questions.delete(message.id);
    }
    // A request that is given up is not answered.
    else if (isNotification(message) && message.method === 'notifications/cancelled') {
      this.#giveUp(this.#open, message.params?.['requestId'] as RequestId);
    }
  }

  #giveUp(among: Map<RequestId, Exchange>, id: RequestId): void {
    const exchange = among.get(id);
    among.delete(id);
    if (exchange !== undefined) this.#ledger.gaveUp(exchange);
  }

  /** As if the app had given it up, but that the app, which has not, is answered. */
  #cancel(id: RequestId): void {
    const exchange = this.#open.get(id);
    if (exchange === undefined) return;
    this.#handlers?.onMessage({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: cancelledByPerson },
    });
    void this.send(cancelledAnswer(id, exchange)).catch(() => undefined);
  }

  /** Of the request whose token it bears. */
  #noteProgress({ method, params = {} }: { readonly method: string; readonly params?: JsonObject | undefined }): void {
    if (method !== 'notifications/progress') return;
    for (const exchange of this.#open.values()) exchange.noteProgress(params);
  }

  #sent(message: Message): void {
    if ('method' in message) return this.#told(message);
    const { id } = message;
    this.#ledger.sent(message, id === null ? undefined : this.#open.get(id));
    if (id !== null) this.#open.delete(id);
  }

  /** A question of ours, or a notification. */
  #told(message: Extract<Message, { readonly method: string }>): void {
    if (isRequest(message)) this.#questions.set(message.id, this.#ledger.asked(message.method, message.params ?? {}));
    else {
      if (message.method === 'notifications/cancelled')
        this.#giveUp(this.#questions, message.params?.['requestId'] as RequestId);
      this.#noteProgress(message);
    }
    this.#ledger.sent(message, undefined);
  }
}

// The ledger at an endpoint of 2026-07-28: what one app asks until it is silent for long stands for a session.

const silenceMs = 30 * 60_000;
const mostApps = 50;

interface MeteredRequest {
  readonly exchange: Exchange;
  readonly sent: (message: Message) => void;
  /** Nobody waits for its answer any more. Harmless where it was sent. */
  readonly gaveUp: () => void;
}

interface Open {
  readonly session: LedgerSession;
  seenAt: number;
}

export class ModernMeter {
  readonly #ledger: Ledger;
  readonly #mode: () => string;
  readonly #user: string | undefined;
  readonly #sessions = new Map<string, Open>();

  constructor(ledger: Ledger, mode: () => string, user?: string) {
    this.#ledger = ledger;
    this.#mode = mode;
    this.#user = user;
  }

  /** A request of the app, which calls itself `client`, has come; `sent` is told each message that has gone out for it. */
  open(app: string, client: string, method: string, params: JsonObject): MeteredRequest {
    const session = this.#sessionOf(app, client, method);
    const exchange = session.asked(method, params);
    return {
      exchange,
      sent: (message) => {
        if (!('method' in message)) return session.sent(message, exchange);
        if (message.method === 'notifications/progress') exchange.noteProgress(message.params ?? {});
        session.sent(message, undefined);
      },
      gaveUp: () => session.gaveUp(exchange),
    };
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
    const session = this.#ledger.open({
      ...{ id: randomUUID(), user: this.#user },
      who: () => ({ app, mode: this.#mode(), client }),
    });
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
