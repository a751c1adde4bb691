/**
 * The SDK's HTTP transports check each message against a strict schema and drop unknown members. So they receive a stub
 * of the same kind with a number in it, and the message itself waits here until the stub comes out.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { isFailure, type Message, ownId, type RequestId } from '../../wire/message.ts';
import type { MessageOrigin } from '../../wire/transport.ts';

interface TappedMessage {
  readonly message: Message;
  readonly origin: MessageOrigin | undefined;
}

export class MessageTap {
  readonly #messages = new Map<number, TappedMessage>();
  #next = 0;

  /** The stub's JSON text; `relatedRequestId` is the request on whose stream the message came. */
  store(message: Message, relatedRequestId: RequestId | undefined): string {
    const key = this.#next++;
    this.#messages.set(key, { message, origin: relatedRequestId === undefined ? undefined : { relatedRequestId } });
    return JSON.stringify(stubOf(message, { _tap: key }));
  }

  /** Returns and removes the message for a stub; undefined if the stub is not ours. */
  take(stub: unknown): TappedMessage | undefined {
    const key = keyOf(stub);
    if (typeof key !== 'number') return undefined;
    const message = this.#messages.get(key);
    this.#messages.delete(key);
    return message;
  }
}

function stubOf(message: Message, mark: JsonObject): JsonObject {
  if ('method' in message) {
    const id = 'id' in message ? { id: stubId(message.id) } : {};
    return { jsonrpc: '2.0', ...id, method: message.method, params: mark };
  }
  if (isFailure(message)) {
    return { jsonrpc: '2.0', id: stubId(message.id), error: { code: -32000, message: '', data: mark } };
  }
  return { jsonrpc: '2.0', id: stubId(message.id), result: mark };
}

/** Ids that the SDK rejects (null, fractions, huge numbers) are replaced. */
function stubId(id: unknown): RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : 'unreadable';
}

function keyOf(stub: unknown): unknown {
  if (!isObject(stub)) return undefined;
  const error = isObject(stub['error']) ? stub['error']['data'] : undefined;
  const holder = stub['result'] ?? stub['params'] ?? error;
  return isObject(holder) ? holder['_tap'] : undefined;
}

// Tracks POSTed requests without a response, so that each is answered even if its HTTP response contains none.

/** Passes an exchange's number from `send` through the SDK to our fetch; it never leaves the process. */
export const postIdHeader = 'x-tooltray-exchange';

export interface PendingPost {
  readonly key: string;
  readonly id: RequestId;
  answered: boolean;
  /** Whether a response may arrive later: on a stream, or after a 202. */
  answerFollows: boolean;
  /** The event id from which a broken stream resumes. */
  lastEventId: string | undefined;
}

export class PendingPosts {
  readonly #open = new Map<string, PendingPost>();
  #next = 0;

  start(id: RequestId): PendingPost {
    const key = String(this.#next++);
    const exchange = { key, id, answered: false, answerFollows: false, lastEventId: undefined };
    this.#open.set(key, exchange);
    return exchange;
  }

  end(exchange: PendingPost): void {
    this.#open.delete(exchange.key);
  }

  /** The exchange of an HTTP request: by our header, or by the event id from which it resumes. */
  match(headers: Headers): PendingPost | undefined {
    const key = headers.get(postIdHeader);
    if (key !== null) return this.#open.get(key);
    const lastEventId = headers.get('last-event-id');
    if (lastEventId === null) return undefined;
    return [...this.#open.values()].find((exchange) => exchange.lastEventId === lastEventId);
  }

  /** Call it for every message that arrives. */
  onMessage(message: Message): void {
    if ('method' in message) return;
    const id = ownId(message.id);
    for (const exchange of this.#open.values()) {
      if (exchange.id !== id) continue;
      exchange.answered = true;
      this.end(exchange);
    }
  }
}
