/** The deprecated HTTP+SSE transport (protocol 2024-11-05) over the SDK's client: one event stream in, POSTs out. */
import { type JSONRPCMessage, SSEClientTransport, SseError } from '@modelcontextprotocol/client';
import { AppError, errorText, toAppError } from '../../base/errors.ts';
import type { Message } from '../../wire/message.ts';
import type { TransportHandlers } from '../../wire/transport.ts';
import { createAuthorizedFetch } from '../sign-in/authorized-fetch.ts';
import { Exchanges } from './exchanges.ts';
import { sessionLost, statusError } from './http-errors.ts';
import { HttpFetch } from './http-fetch.ts';
import { type HttpTransportOptions, isSignedOut } from './http-transport.ts';
import { createLosslessFetch } from './lossless-fetch.ts';
import { MessageTap } from './message-tap.ts';
import type { VersionedTransport } from './versioned-transport.ts';

export class SseTransport implements VersionedTransport {
  readonly #options: HttpTransportOptions;
  readonly #sdk: SSEClientTransport;
  readonly #http: HttpFetch;
  readonly #tap = new MessageTap();
  #handlers: TransportHandlers | undefined;
  #closed = false;
  /** Why the last HTTP request failed; the SDK passes on its text alone. */
  #lastError: unknown;
  #abandonStart: ((error: Error) => void) | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#http = new HttpFetch({ env: options.env });
    const fetch = createLosslessFetch({
      place: options,
      fetch: options.signIn === undefined ? this.#http.fetch : createAuthorizedFetch(this.#http.fetch, options.signIn),
      tap: this.#tap,
      exchanges: new Exchanges(),
      maxMessageBytes: options.maxMessageBytes,
      onOddity: (text) => this.#handlers?.onOddity(text),
      onSessionLost: () => undefined,
    });
    this.#sdk = new SSEClientTransport(new URL(options.url), {
      fetch: (url, init) =>
        fetch(url, init).catch((error: unknown) => {
          this.#lastError = error;
          throw error;
        }),
      requestInit: { headers: { ...options.headers } },
    });
  }

  /** Resolves when the server has said where to POST. */
  async start(handlers: TransportHandlers): Promise<void> {
    this.#sdk.onmessage = (stub) => {
      const tapped = this.#tap.take(stub);
      if (tapped !== undefined && !this.#closed) handlers.onMessage(tapped.message, tapped.origin);
    };
    const abandoned = new Promise<never>((_resolve, reject) => {
      this.#abandonStart = reject;
    });
    try {
      await Promise.race([this.#sdk.start(), abandoned]);
    } catch (error) {
      this.#closed = true;
      await this.#shutDown();
      throw this.#startError(error);
    }
    this.#handlers = handlers;
    // A new stream would be a new session that knows nothing of `initialize`: better to connect anew as a whole.
    this.#sdk.onerror = (error) => {
      if (error instanceof SseError) this.#finish(sessionLost(this.#options));
      else if (!(error instanceof AppError)) handlers.onOddity(error.message);
    };
  }

  async send(message: Message): Promise<void> {
    if (this.#closed) throw sessionLost(this.#options);
    try {
      await this.#sdk.send(message as JSONRPCMessage);
    } catch (error) {
      if (this.#closed) throw sessionLost(this.#options);
      const told = toAppError(error, 'server_unreachable');
      if (isSignedOut(told, this.#options.signIn)) this.#finish(told);
      throw told;
    }
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#abandonStart?.(sessionLost(this.#options));
    await this.#shutDown();
  }

  #startError(error: unknown): AppError {
    if (error instanceof AppError) return error;
    const status = error instanceof SseError ? error.code : undefined;
    if (status !== undefined && status >= 400) return statusError(this.#options, status);
    if (this.#lastError instanceof AppError) return this.#lastError;
    const text = `${this.#options.serverName} offers no SSE connection: ${errorText(error)}`;
    return new AppError('server_protocol', text, { fix: "Check the server's url.", cause: error });
  }

  #finish(error: AppError): void {
    if (this.#closed) return;
    this.#closed = true;
    void this.#shutDown(error);
  }

  async #shutDown(error?: AppError): Promise<void> {
    await this.#sdk.close().catch(() => undefined);
    this.#http.close();
    this.#handlers?.onClose(error);
  }
}
