/** Streamable HTTP over the SDK's client transport, which knows sessions, headers and resumption; messages pass unchanged. */
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppError, errorText } from '../../base/errors.ts';
import { isRequest, type Message, rpcCode } from '../../wire/message.ts';
import type { SendOptions, TransportHandlers } from '../../wire/transport.ts';
import { createAuthorizedFetch } from '../sign-in/authorized-fetch.ts';
import type { ServerSignIn } from '../sign-in/server-sign-in.ts';
import { type Exchange, exchangeHeader, Exchanges } from './exchanges.ts';
import { networkError, sessionLost } from './http-errors.ts';
import { HttpFetch } from './http-fetch.ts';
import { createLosslessFetch } from './lossless-fetch.ts';
import { MessageTap } from './message-tap.ts';
import type { VersionedTransport } from './versioned-transport.ts';
import { within } from './within.ts';

export interface HttpTransportOptions {
  /** Names the server in errors. */
  readonly serverName: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  /** Where HTTP_PROXY and its like are read from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How we sign in there; without it a 401 is for the person to mend. */
  readonly signIn?: ServerSignIn | undefined;
  /** Hides secrets in what the server says. */
  readonly mask?: ((text: string) => string) | undefined;
  /** Pauses before a broken stream is taken up again, in ms. */
  readonly reconnectDelayMs?: { readonly first: number; readonly longest: number };
}

/** How often a broken stream is taken up again before it counts as lost. */
const maxRetries = 5;
/** How long the server may take to hear that we leave. */
const farewellMs = 2000;

export class HttpTransport implements VersionedTransport {
  readonly #options: HttpTransportOptions;
  readonly #sdk: StreamableHTTPClientTransport;
  readonly #http: HttpFetch;
  readonly #tap = new MessageTap();
  readonly #exchanges = new Exchanges();
  #handlers: TransportHandlers | undefined;
  #closed = false;
  #listening = false;
  #listenFailures = 0;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#http = new HttpFetch({ env: options.env });
    const delay = options.reconnectDelayMs ?? { first: 1000, longest: 30_000 };
    this.#sdk = new StreamableHTTPClientTransport(new URL(options.url), {
      fetch: createLosslessFetch({
        place: options,
        fetch:
          options.signIn === undefined ? this.#http.fetch : createAuthorizedFetch(this.#http.fetch, options.signIn),
        tap: this.#tap,
        exchanges: this.#exchanges,
        maxMessageBytes: options.maxMessageBytes,
        onOddity: (text) => this.#handlers?.onOddity(text),
        onSessionLost: () => this.#finish(sessionLost(options)),
        onListen: (status) => this.#sawListen(status),
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
    this.#handlers = handlers;
    this.#sdk.onmessage = (stub) => {
      const tapped = this.#tap.take(stub);
      if (tapped === undefined || this.#closed) return;
      this.#exchanges.sawMessage(tapped.message);
      handlers.onMessage(tapped.message, tapped.origin);
    };
    this.#sdk.onerror = (error) => {
      // AppErrors have been thrown to whoever sent the message.
      if (!this.#closed && !(error instanceof AppError)) handlers.onOddity(error.message);
    };
    await this.#sdk.start();
  }

  async send(message: Message, options: SendOptions = {}): Promise<void> {
    if (this.#closed) throw sessionLost(this.#options);
    const exchange = isRequest(message) ? this.#begin(message.id, options.signal) : undefined;
    try {
      await this.#sdk.send(message as JSONRPCMessage, {
        ...(options.signal === undefined ? {} : { requestSignal: options.signal }),
        headers: { ...options.headers, ...(exchange === undefined ? {} : { [exchangeHeader]: exchange.key }) },
        onRequestStreamEnd: () => this.#failUnanswered(exchange),
      });
    } catch (error) {
      if (exchange !== undefined) this.#exchanges.end(exchange);
      const told = this.#sendError(error, options.signal);
      if (isSignedOut(told, this.#options.signIn)) this.#finish(told);
      throw told;
    }
    if (exchange?.answerFollows === false) this.#failUnanswered(exchange);
  }

  /** The revision agreed on by `initialize`; sent as MCP-Protocol-Version from then on. */
  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await within(this.#sdk.terminateSession(), farewellMs);
    await this.#shutDown();
  }

  #begin(id: string | number, signal: AbortSignal | undefined): Exchange {
    const exchange = this.#exchanges.begin(id);
    signal?.addEventListener('abort', () => this.#exchanges.end(exchange), { once: true });
    return exchange;
  }

  /** The HTTP side of a request is over; without an answer by now there will be none. */
  #failUnanswered(exchange: Exchange | undefined): void {
    if (exchange === undefined || exchange.answered || this.#closed) return;
    this.#exchanges.end(exchange);
    const message = `${this.#options.serverName} ended its response without an answer.`;
    this.#handlers?.onMessage({ jsonrpc: '2.0', id: exchange.id, error: { code: rpcCode.aborted, message } });
  }

  #sendError(error: unknown, signal: AbortSignal | undefined): AppError {
    if (error instanceof AppError) return error;
    if (this.#closed) return sessionLost(this.#options);
    if (signal?.aborted === true) return new AppError('cancelled', 'The request was given up.', { cause: error });
    const text = `${this.#options.serverName} did not answer as an MCP server does: ${errorText(error)}`;
    return new AppError('server_protocol', text, { fix: "Check the server's url.", cause: error });
  }

  /** Many servers offer no such stream; one that had it and has it no more is gone. */
  #sawListen(status: number | undefined): void {
    if (status === 200) {
      this.#listening = true;
      this.#listenFailures = 0;
    } else if (this.#listening && status !== 405) {
      this.#listenFailures++;
      if (status === 404) this.#finish(sessionLost(this.#options));
      else if (this.#listenFailures >= maxRetries) {
        this.#finish(networkError(this.#options, new Error('its event stream broke and could not be taken up again')));
      }
    }
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

/** Our sign-in is over, so this line is of no use. A server that asks for one here and there only is still of use. */
export function isSignedOut(error: AppError, signIn: ServerSignIn | undefined): boolean {
  return signIn?.over === true && error.data?.['status'] === 401;
}
