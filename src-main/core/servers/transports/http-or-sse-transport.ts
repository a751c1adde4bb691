/** Streamable HTTP first; a server that refuses `initialize` may be one of the older kind and is tried as such. */
import { AppError } from '../../base/errors.ts';
import { isFailure, isRequest, type Message, ownId, type RequestId, rpcCode } from '../../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import type { HttpTransportOptions } from './http-transport-base.ts';
import { HttpTransport } from './http-transport.ts';
import { SseTransport } from './sse-transport.ts';

/**
 * How long a server may take to send the POST endpoint, in ms; a server without the older transport may keep the stream
 * open and silent.
 */
const endpointLimitMs = 15_000;

type Initialize = Extract<Message, { readonly method: string; readonly id: RequestId }>;

export class HttpOrSseTransport implements Transport {
  readonly #options: HttpTransportOptions;
  #current: Transport;
  #handlers: TransportHandlers | undefined;
  /** Asked over Streamable HTTP, and not answered yet. */
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
    // Only servers of the handshake era speak the older transport. What they answer to anything else says nothing.
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

  /** Whether the server has the older transport, which is used from then on. */
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

  /** Only the one in use may report the end. */
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

  /** The request that a success without any message came back for; undefined for every other message. */
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
 * The server answered, but not as one does that speaks Streamable HTTP. The specification names 400, 404 and 405
 * (2025-11-25, basic/transports, "Backwards compatibility"); servers in the field also answer by 200 with a page, 403,
 * 415, 422, 500 and 501.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || error.data?.['status'] === 401) return false;
  return typeof error.data?.['status'] === 'number' || error.code === 'server_protocol';
}
