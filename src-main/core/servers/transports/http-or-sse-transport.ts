/** Streamable HTTP first; a server that refuses the first message may be one of the older kind and is tried as such. */
import { AppError } from '../../base/errors.ts';
import type { Message } from '../../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import type { HttpTransportOptions } from './http-line.ts';
import { HttpTransport } from './http-transport.ts';
import { SseTransport } from './sse-transport.ts';

/** Specification 2025-11-25, basic/transports "Backwards compatibility": these answers to a POST mean "try a GET". */
const olderKindStatus = new Set<unknown>([400, 404, 405]);
/** A server without the older transport may keep the stream open and silent. */
const endpointLimitMs = 10_000;

export class HttpOrSseTransport implements Transport {
  readonly #options: HttpTransportOptions;
  #current: Transport;
  #handlers: TransportHandlers | undefined;
  #decided = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#current = new HttpTransport(options);
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    await this.#startOne(this.#current);
  }

  async send(message: Message, options: SendOptions = {}): Promise<void> {
    if (this.#decided) return this.#current.send(message, options);
    try {
      await this.#current.send(message, options);
      this.#decided = true;
    } catch (error) {
      if (!isOlderKind(error) || !(await this.#switchToSse())) throw error;
      await this.#current.send(message, options);
    }
  }

  setProtocolVersion(version: string): void {
    this.#current.setProtocolVersion?.(version);
  }

  hold(held: boolean): void {
    this.#current.hold?.(held);
  }

  close(): Promise<void> {
    return this.#current.close();
  }

  async #switchToSse(): Promise<boolean> {
    const first = this.#current;
    const sse = new SseTransport(this.#options);
    this.#current = sse;
    const limit = setTimeout(() => void sse.close(), endpointLimitMs);
    try {
      await this.#startOne(sse);
    } catch {
      this.#current = first;
      return false;
    } finally {
      clearTimeout(limit);
    }
    this.#decided = true;
    await first.close();
    return true;
  }

  /** Only the one in use may report the end. */
  #startOne(transport: Transport): Promise<void> {
    const handlers = this.#handlers as TransportHandlers;
    return transport.start({
      onMessage: (message, origin) => handlers.onMessage(message, origin),
      onOddity: (text) => handlers.onOddity(text),
      onClose: (error) => {
        if (this.#current === transport) handlers.onClose(error);
      },
    });
  }
}

function isOlderKind(error: unknown): boolean {
  return error instanceof AppError && olderKindStatus.has(error.data?.['status']);
}
