/** Tracks open requests on a connection whose other side has finished sending: its requests to us, and ours to it. */
import { isRequest, type Message, openId, type RequestId, rpcCode } from './message.ts';

export class OpenRequests {
  /** Unanswered requests of the other side. */
  readonly #theirs = new Set<RequestId>();
  /** Unanswered requests of Tooltray. */
  readonly #ours = new Set<RequestId>();
  #done: (() => void) | undefined;

  received(message: Message): void {
    if (!('method' in message)) this.#ours.delete(openId(this.#ours, message.id));
    // Such a request never ends by itself.
    else if (isRequest(message) && message.method !== 'subscriptions/listen') this.#theirs.add(message.id);
    else if (message.method === 'notifications/cancelled') this.#settle(message.params?.['requestId']);
  }

  sent(message: Message): void {
    if (!('method' in message)) this.#settle(message.id);
    else if (isRequest(message)) this.#ours.add(message.id);
  }

  /** Responses in place of the other side, which sends no more. */
  refusals(): Message[] {
    const error = { code: rpcCode.aborted, message: 'The client app has closed its side of the connection.' };
    const refused = [...this.#ours].map((id): Message => ({ jsonrpc: '2.0', id, error }));
    this.#ours.clear();
    return refused;
  }

  /** Resolves when all requests of the other side are answered, or after `limitMs`. */
  async answered(limitMs: number): Promise<void> {
    if (this.#theirs.size === 0) return;
    const done = Promise.withResolvers<void>();
    const limit = setTimeout(done.resolve, limitMs);
    this.#done = done.resolve;
    await done.promise;
    clearTimeout(limit);
  }

  #settle(id: unknown): void {
    this.#theirs.delete(openId(this.#theirs, id));
    if (this.#theirs.size === 0) this.#done?.();
  }
}
