/** The deprecated HTTP+SSE transport (protocol 2024-11-05) over the SDK's client: one event stream in, POSTs out. */
import { type JSONRPCMessage, SSEClientTransport, SseError } from '@modelcontextprotocol/client';
import { AppError, errorText, toAppError } from '../../base/errors.ts';
import type { Message } from '../../wire/message.ts';
import type { Transport, TransportHandlers } from '../../wire/transport.ts';
import { PendingPosts } from './message-tap.ts';
import { sessionLostError, statusError } from '../network/http-errors.ts';
import { HttpTransportBase, type HttpTransportOptions } from './http-transport-base.ts';

export class SseTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #sdk: SSEClientTransport;
  readonly #line: HttpTransportBase;
  /** The last HTTP error; the SDK passes on only its text. */
  #lastError: unknown;
  #abandonStart: ((error: Error) => void) | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#line = new HttpTransportBase(options, () => this.#sdk.close());
    const fetch = this.#line.fetch({ exchanges: new PendingPosts() });
    this.#sdk = new SSEClientTransport(new URL(options.url), {
      fetch: (url, init) =>
        fetch(url, init).catch((error: unknown) => {
          this.#lastError = error;
          throw error;
        }),
      requestInit: { headers: { ...options.headers } },
    });
  }

  /** Resolves when the server has sent the POST endpoint. */
  async start(handlers: TransportHandlers): Promise<void> {
    this.#sdk.onmessage = (stub) => {
      const tapped = this.#line.tap.take(stub);
      if (tapped !== undefined && !this.#line.closed) handlers.onMessage(tapped.message, tapped.origin);
    };
    const abandoned = new Promise<never>((_resolve, reject) => {
      this.#abandonStart = reject;
    });
    try {
      await Promise.race([this.#sdk.start(), abandoned]);
    } catch (error) {
      await this.#line.end();
      throw this.#startError(error);
    }
    this.#line.handlers = handlers;
    // A new stream would be a new session without `initialize`, so the whole connection is reopened.
    this.#sdk.onerror = (error) => {
      if (error instanceof SseError) void this.#line.end(sessionLostError(this.#options));
      else if (!(error instanceof AppError)) handlers.onWarning(error.message);
    };
  }

  async send(message: Message): Promise<void> {
    if (this.#line.closed) throw sessionLostError(this.#options);
    try {
      await this.#sdk.send(message as JSONRPCMessage);
    } catch (error) {
      if (this.#line.closed) throw sessionLostError(this.#options);
      const appError = toAppError(error, 'server_unreachable');
      this.#line.endIfSignedOut(appError);
      throw appError;
    }
  }

  setProtocolVersion(version: string): void {
    this.#line.isInitialized = true;
    this.#sdk.setProtocolVersion(version);
  }

  setReadPaused(held: boolean): void {
    this.#line.setReadPaused(held);
  }

  close(): Promise<void> {
    return this.#line.end(undefined, async () => this.#abandonStart?.(sessionLostError(this.#options)));
  }

  #startError(error: unknown): AppError {
    if (error instanceof AppError) return error;
    const status = error instanceof SseError ? error.code : undefined;
    if (status !== undefined && status >= 400) return statusError(this.#options, status);
    if (this.#lastError instanceof AppError) return this.#lastError;
    const text = `${this.#options.serverName} does not offer an SSE connection: ${errorText(error)}`;
    return new AppError('server_protocol', text, { fix: "Check the server's url.", cause: error });
  }
}
