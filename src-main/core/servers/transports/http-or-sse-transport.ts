/** Tries Streamable HTTP first; a server that rejects `initialize` is retried with the older SSE transport. */
import { AppError } from '../../base/errors.ts';
import { isFailure, isRequest, type Message, ownId, type RequestId, rpcCode } from '../../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import type { HttpTransportOptions } from './http-transport-base.ts';
import { HttpTransport } from './http-transport.ts';
import { SseTransport } from './sse-transport.ts';

/**
 * Time limit for the POST endpoint, in ms; a server without the older transport may keep the stream open and silent.
 */
const endpointLimitMs = 15_000;

type Initialize = Extract<Message, { readonly method: string; readonly id: RequestId }>;

export class HttpOrSseTransport implements Transport {
  readonly #options: HttpTransportOptions;
  #current: Transport;
  #handlers: TransportHandlers | undefined;
  /** The `initialize` request that was sent over Streamable HTTP and is unanswered. */
  #initialize: Initialize | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#current = new HttpTransport(options);
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    await this.#startOne(this.#current);
  }

  async send(message: Message, options: SendOptions = {}): Promise<void> {
    // Only stateful servers use the older transport, so only their response to `initialize` decides.
    if (!isRequest(message) || message.method !== 'initialize') return this.#current.send(message, options);
    this.#initialize = message;
    try {
      await this.#current.send(message, options);
    } catch (error) {
      this.#initialize = undefined;
      if (!isRefusal(error) || !(await this.#switchToSse())) throw error;
      await this.#current.send(message, options);
    }
  }

  setProtocolVersion(version: string): void {
    this.#current.setProtocolVersion?.(version);
  }

  setReadPaused(held: boolean): void {
    this.#current.setReadPaused?.(held);
  }

  close(): Promise<void> {
    return this.#current.close();
  }

  /** Whether the server supports the older transport, which is used from then on. */
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
    await first.close();
    return true;
  }

  /** Only the transport in use may report the end. */
  #startOne(transport: Transport): Promise<void> {
    const handlers = this.#handlers as TransportHandlers;
    return transport.start({
      onMessage: (message, origin) => {
        const initialize = this.#answeredWithoutAnswer(message);
        if (initialize === undefined) handlers.onMessage(message, origin);
        else void this.#askBySse(initialize, () => handlers.onMessage(message, origin));
      },
      onWarning: (text) => handlers.onWarning(text),
      onClose: (error) => {
        if (this.#current === transport) handlers.onClose(error);
      },
    });
  }

  /** The request that received a success without a message; undefined for other messages. */
  #answeredWithoutAnswer(message: Message): Initialize | undefined {
    const initialize = this.#initialize;
    if (initialize === undefined || 'method' in message || ownId(message.id) !== initialize.id) return undefined;
    this.#initialize = undefined;
    return isFailure(message) && message.error.code === rpcCode.aborted ? initialize : undefined;
  }

  async #askBySse(initialize: Initialize, giveUp: () => void): Promise<void> {
    if (!(await this.#switchToSse())) return giveUp();
    await this.#current.send(initialize).catch(giveUp);
  }
}

/**
 * Whether the server's response rules out Streamable HTTP. The specification names 400, 404 and 405 (2025-11-25,
 * basic/transports, "Backwards compatibility"); some servers respond with 200 and a page, 403, 415, 422, 500 or 501.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || error.data?.['status'] === 401) return false;
  return typeof error.data?.['status'] === 'number' || error.code === 'server_protocol';
}
