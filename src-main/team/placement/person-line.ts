/**
 * A front's end of a line to one person's process, wherever that runs. A runner that is about to end says so on the line: from then on
 * nothing new is asked on it, what was asked is answered, and then it is closed, so that nothing gets lost between the two.
 */
import { AppError } from '../../core/base/errors.ts';
import { isNotification, isRequest, type Message, ownId, type RequestId } from '../../core/wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../core/wire/transport.ts';
import { gone, leavingMethod } from './personal-child.ts';

interface PersonLineOptions {
  readonly server: string;
  /** Rejects with AppError why it cannot be had. */
  readonly open: (signal: AbortSignal) => Promise<Transport>;
  /** Nothing new is to be asked on it. */
  readonly onLeaving: () => void;
}

export class PersonLine implements Transport {
  readonly #options: PersonLineOptions;
  readonly #closing = new AbortController();
  /** Requests that wait for their answer; a stream of changes waits for none. */
  readonly #asked = new Set<RequestId>();
  #line: Transport | undefined;
  #isLeaving = false;

  constructor(options: PersonLineOptions) {
    this.#options = options;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    const { open, server } = this.#options;
    const { signal } = this.#closing;
    const line = await open(signal);
    if (signal.aborted) {
      // As one that has been listened to: only then its other end is told.
      await line.start({ onMessage: () => undefined, onClose: () => undefined, onOddity: () => undefined });
      await line.close();
      throw new AppError('cancelled', 'The connection was closed before it was open.');
    }
    this.#line = line;
    await line.start({
      onMessage: (message) => this.#hear(message, handlers),
      onClose: (error) => handlers.onClose(signal.aborted ? error : gone(server)),
      onOddity: (text) => handlers.onOddity(text),
    });
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    if (this.#line === undefined) throw new AppError('internal', 'The connection is not open yet.');
    if (isRequest(message) && message.method !== 'subscriptions/listen') this.#asked.add(message.id);
    else if (isNotification(message) && message.method === 'notifications/cancelled')
      this.#settle(message.params?.['requestId'] as RequestId);
    await this.#line.send(message, options);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#line?.close();
  }

  hold(held: boolean): void {
    this.#line?.hold?.(held);
  }

  #hear(message: Message, handlers: TransportHandlers): void {
    if (isNotification(message) && message.method === leavingMethod) return this.#leave();
    handlers.onMessage(message);
    if (!isRequest(message) && !isNotification(message)) this.#settle(ownId(message.id) as RequestId);
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#options.onLeaving();
    this.#closeSoon();
  }

  #settle(id: RequestId): void {
    this.#asked.delete(id);
    if (this.#isLeaving) this.#closeSoon();
  }

  /** Whoever has been given the line in this turn still asks on it. */
  #closeSoon(): void {
    setImmediate(() => {
      if (this.#asked.size === 0) void this.close();
    });
  }
}
