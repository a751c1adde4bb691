/**
 * Streamable HTTP over the SDK's client transport, which handles sessions, headers and resumption; messages pass
 * unchanged.
 */
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppError, errorText } from '../../base/errors.ts';
import { isRequest, type Message, rpcCode } from '../../wire/message.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import { ListenPauses } from './listen-pauses.ts';
import { type PendingPost, postIdHeader, PendingPosts } from './message-tap.ts';
import { networkError, sessionLostError } from '../network/http-errors.ts';
import { HttpTransportBase, type HttpTransportOptions } from './http-transport-base.ts';
import { settleWithin } from '../../base/settle-within.ts';

/** Number of attempts to resume a broken stream. */
const maxRetries = 5;
/** How long the first call waits for the stream of server-initiated requests, in ms. */
const streamReadyTimeoutMs = 2000;
/** Time limit for the server to acknowledge the end of the session, in ms. */
const terminateTimeoutMs = 2000;

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #sdk: StreamableHTTPClientTransport;
  readonly #line: HttpTransportBase;
  readonly #exchanges = new PendingPosts();
  readonly #listenPauses: ListenPauses;
  #listening = false;
  readonly #listenAnswered = Promise.withResolvers<void>();
  #listenFailures = 0;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#line = new HttpTransportBase(options, () => this.#sdk.close());
    const delay = options.reconnectDelayMs ?? { first: 1000, longest: 30_000 };
    this.#listenPauses = new ListenPauses({ firstMs: delay.first, maxMs: 10 * delay.longest });
    this.#sdk = new StreamableHTTPClientTransport(new URL(options.url), {
      fetch: this.#line.fetch({
        exchanges: this.#exchanges,
        onListen: (status) => this.#sawListen(status),
        listenPauses: this.#listenPauses,
      }),
      requestInit: { headers: { ...options.headers } },
      reconnectionOptions: {
        initialReconnectionDelay: delay.first,
        maxReconnectionDelay: delay.longest,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries,
      },
    });
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#line.handlers = handlers;
    this.#sdk.onmessage = (stub) => {
      const tapped = this.#line.tap.take(stub);
      if (tapped === undefined || this.#line.closed) return;
      this.#exchanges.onMessage(tapped.message);
      handlers.onMessage(tapped.message, tapped.origin);
    };
    this.#sdk.onerror = (error) => {
      // The sender of the message has received AppErrors already.
      if (!this.#line.closed && !(error instanceof AppError)) handlers.onWarning(error.message);
    };
    await this.#sdk.start();
  }

  async send(message: Message, options: SendOptions = {}): Promise<void> {
    if (this.#line.closed) throw sessionLostError(this.#options);
    if (isRequest(message)) this.#listenPauses.used();
    const exchange = isRequest(message) ? this.#begin(message.id, options.signal) : undefined;
    try {
      await this.#sdk.send(message as JSONRPCMessage, {
        ...(options.signal === undefined ? {} : { requestSignal: options.signal }),
        headers: { ...options.headers, ...(exchange === undefined ? {} : { [postIdHeader]: exchange.key }) },
        onRequestStreamEnd: () => this.#failUnanswered(exchange),
      });
    } catch (error) {
      if (exchange !== undefined) this.#exchanges.end(exchange);
      const sendError = this.#sendError(error, options.signal);
      this.#line.endIfSignedOut(sendError);
      throw sendError;
    }
    if (exchange?.answerFollows === false) this.#failUnanswered(exchange);
    // The SDK has just requested the stream; server messages before it opens are lost.
    const isGreeted = 'method' in message && message.method === 'notifications/initialized';
    if (isGreeted) await settleWithin(this.#listenAnswered.promise, streamReadyTimeoutMs);
  }

  /** The negotiated protocol version, which is sent as MCP-Protocol-Version from then on. */
  setProtocolVersion(version: string): void {
    this.#line.isInitialized = true;
    this.#sdk.setProtocolVersion(version);
  }

  setReadPaused(held: boolean): void {
    this.#line.setReadPaused(held);
  }

  close(): Promise<void> {
    return this.#line.end(undefined, () => settleWithin(this.#sdk.terminateSession(), terminateTimeoutMs));
  }

  #begin(id: string | number, signal: AbortSignal | undefined): PendingPost {
    const exchange = this.#exchanges.start(id);
    signal?.addEventListener('abort', () => this.#exchanges.end(exchange), { once: true });
    return exchange;
  }

  /** Fails a request whose HTTP response has ended without an answer. */
  #failUnanswered(exchange: PendingPost | undefined): void {
    if (exchange === undefined || exchange.answered || this.#line.closed) return;
    this.#exchanges.end(exchange);
    const message = `${this.#options.serverName} ended its HTTP response without a result.`;
    this.#line.handlers?.onMessage({ jsonrpc: '2.0', id: exchange.id, error: { code: rpcCode.aborted, message } });
  }

  #sendError(error: unknown, signal: AbortSignal | undefined): AppError {
    if (error instanceof AppError) return error;
    if (this.#line.closed) return sessionLostError(this.#options);
    if (signal?.aborted === true) return new AppError('cancelled', 'The request was cancelled.', { cause: error });
    const text = `${this.#options.serverName} did not respond like an MCP server: ${errorText(error)}`;
    return new AppError('server_protocol', text, { fix: "Check the server's url.", cause: error });
  }

  /** Many servers do not offer this stream; one that did and no longer does is gone. */
  #sawListen(status: number | undefined): void {
    this.#listenAnswered.resolve();
    if (status === 200) {
      this.#listening = true;
      this.#listenFailures = 0;
    } else if (this.#listening && status !== 405) {
      this.#listenFailures++;
      if (status === 404) void this.#line.end(sessionLostError(this.#options));
      else if (this.#listenFailures >= maxRetries) {
        const reason = new Error('its event stream was interrupted and could not be resumed');
        void this.#line.end(networkError(this.#options, reason));
      }
    }
  }
}
