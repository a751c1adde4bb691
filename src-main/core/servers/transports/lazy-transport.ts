/** A transport that is loaded when it is opened: those of the SDK take longer to load than the rest of the core together. */
import { AppError } from '../../base/errors.ts';
import type { Message } from '../../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';

export class LazyTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  #loaded: Transport | undefined;
  #closed = false;

  constructor(load: () => Promise<Transport>) {
    this.#load = load;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    const transport = await this.#load();
    if (this.#closed) throw new AppError('cancelled', 'The connection was closed before it was open.');
    this.#loaded = transport;
    await transport.start(handlers);
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    if (this.#loaded === undefined) throw new AppError('internal', 'The connection is not open yet.');
    await this.#loaded.send(message, options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#loaded?.close();
  }

  setProtocolVersion(version: string): void {
    this.#loaded?.setProtocolVersion?.(version);
  }

  hold(held: boolean): void {
    this.#loaded?.hold?.(held);
  }
}
