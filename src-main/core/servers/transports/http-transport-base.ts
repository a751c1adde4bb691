/** Base of both HTTP transports: a lossless fetch with sign-in, and an end that is reported once. */
import type { AppError } from '../../base/errors.ts';
import type { ConnectionBudgets } from '../../wire/byte-budget.ts';
import type { TransportHandlers } from '../../wire/transport.ts';
import { createAuthorizedFetch, type TokenSource } from '../oauth/server-oauth.ts';
import type { OutboundNetwork } from '../network/outbound-network.ts';
import { type FetchLike, HttpFetch } from '../network/http-fetch.ts';
import { createLosslessFetch, type LosslessFetchOptions } from './lossless-fetch.ts';
import { MessageTap } from './message-tap.ts';

export interface HttpTransportOptions {
  /** Names the server in error messages. */
  readonly serverName: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  /** The environment with HTTP_PROXY and similar variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly network?: OutboundNetwork | undefined;
  /** Memory budgets shared by all connections. */
  readonly budgets?: ConnectionBudgets | undefined;
  /** The source of tokens; without it only the user can resolve a 401. */
  readonly signIn?: TokenSource | undefined;
  /** Masks secrets in the server's messages. */
  readonly mask?: ((text: string) => string) | undefined;
  /** Delays before a broken stream is resumed, in ms. */
  readonly reconnectDelayMs?: { readonly first: number; readonly longest: number };
}

export class HttpTransportBase {
  /** Stores messages while their stubs pass through the SDK. */
  readonly tap = new MessageTap();
  /** Receives anomalies and the end; undefined until the transport is in use. */
  handlers: TransportHandlers | undefined;
  readonly #options: HttpTransportOptions;
  readonly #http: HttpFetch;
  readonly #closeSdk: () => Promise<void>;
  #closed = false;
  /** Whether `initialize` has completed. */
  isInitialized = false;
  /** Resolves when reading of the server's streams may continue. */
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(options: HttpTransportOptions, closeSdk: () => Promise<void>) {
    this.#options = options;
    this.#http = new HttpFetch({
      env: options.env,
      network: options.network,
      maxDecodedBytes: options.maxMessageBytes,
    });
    this.#closeSdk = closeSdk;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The fetch for the SDK. */
  fetch(parts: Pick<LosslessFetchOptions, 'exchanges' | 'onListen' | 'listenPauses'>): FetchLike {
    const { signIn, maxMessageBytes, budgets } = this.#options;
    const { fetch } = this.#http;
    return createLosslessFetch({
      ...parts,
      place: this.#options,
      fetch: signIn === undefined ? fetch : createAuthorizedFetch(fetch, signIn),
      tap: this.tap,
      maxMessageBytes,
      budget: budgets?.unfinished,
      greeted: () => this.isInitialized,
      flow: () => this.#gate?.promise,
      onWarning: (text) => this.handlers?.onWarning(text),
    });
  }

  /** Pauses or continues reading the server's streams. */
  setReadPaused(held: boolean): void {
    this.#gate?.resolve();
    this.#gate = held ? Promise.withResolvers() : undefined;
  }

  /** Ends the transport unless it has ended. `farewell` runs first, without reading responses. Never rejects. */
  async end(error?: AppError, farewell?: () => Promise<unknown>): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.setReadPaused(false);
    await farewell?.();
    await this.#closeSdk().catch(() => undefined);
    this.#http.close();
    this.handlers?.onClose(error);
  }

  /** Ends the transport after the sign-in ended, unless the server requires it for some requests only. */
  endIfSignedOut(error: AppError): void {
    if (this.#options.signIn?.isExpired === true && error.data?.['status'] === 401) void this.end(error);
  }
}
