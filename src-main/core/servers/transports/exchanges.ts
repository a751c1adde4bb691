/** The requests that were POSTed and have no answer yet, so that each gets one even when its HTTP response has none. */
import type { Message, RequestId } from '../../wire/message.ts';

/** Carries an exchange's number from `send` through the SDK to our fetch; it never leaves the process. */
export const exchangeHeader = 'x-tooltray-exchange';

export interface Exchange {
  readonly key: string;
  readonly id: RequestId;
  answered: boolean;
  /** The answer, if any, comes later: on a stream, or elsewhere after a 202. */
  answerFollows: boolean;
  /** Where the stream is taken up again after a cut. */
  lastEventId: string | undefined;
}

export class Exchanges {
  readonly #open = new Map<string, Exchange>();
  #next = 0;

  begin(id: RequestId): Exchange {
    const key = String(this.#next++);
    const exchange = { key, id, answered: false, answerFollows: false, lastEventId: undefined };
    this.#open.set(key, exchange);
    return exchange;
  }

  end(exchange: Exchange): void {
    this.#open.delete(exchange.key);
  }

  /** The exchange a HTTP request belongs to: by our header, or by the event after which it resumes. */
  match(headers: Headers): Exchange | undefined {
    const key = headers.get(exchangeHeader);
    if (key !== null) return this.#open.get(key);
    const lastEventId = headers.get('last-event-id');
    if (lastEventId === null) return undefined;
    return [...this.#open.values()].find((exchange) => exchange.lastEventId === lastEventId);
  }

  /** To be told of every message that arrives. */
  sawMessage(message: Message): void {
    if ('method' in message) return;
    for (const exchange of this.#open.values()) {
      if (exchange.id !== message.id) continue;
      exchange.answered = true;
      this.end(exchange);
    }
  }
}
