/** A client app's line, with the ledger reading along: which requests came, and every frame that has gone out. */
import type { Exchange } from '../activity/ledger/exchange.ts';
import { longestWhole } from '../activity/ledger/payload-counter.ts';
import type { LedgerSession } from '../activity/ledger/ledger-session.ts';
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
