/** Waits on 127.0.0.1 for the browser to come back from a sign-in, once. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, errorText } from '../../base/errors.ts';
import { sameToken } from '../../security/access-token.ts';
import { callbackPage } from './callback-page.ts';

export interface CallbackListenerOptions {
  readonly serverName: string;
  /** Only who knows it has been where we sent the browser. */
  readonly state: string;
  /** Taken if it is free, so that an earlier registration with its exact address stays right. */
  readonly wishedPort: number | undefined;
  /** An address that was registered by hand: this port (any, where it names none) and path, or none at all. */
  readonly registered?: URL | undefined;
  /** Uses what came back; the page tells how that went. */
  readonly onCallback: (params: URLSearchParams) => Promise<void>;
}

const ownPath = '/oauth/callback';

export class CallbackListener {
  readonly #options: CallbackListenerOptions;
  readonly #server: Server;
  #used = false;

  private constructor(options: CallbackListenerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(options: CallbackListenerOptions): Promise<CallbackListener> {
    const listener = new CallbackListener(options);
    const fixedPort = Number(options.registered?.port ?? 0);
    if (fixedPort > 0)
      await listener.#listen(fixedPort).catch((error: unknown) => Promise.reject(portTaken(fixedPort, error)));
    else await listener.#listen(options.wishedPort ?? 0).catch(() => listener.#listen(0));
    return listener;
  }

  get redirectUrl(): string {
    return `http://${this.#host}${this.#path}`;
  }

  /** Takes no more requests; a page that is being sent still arrives. */
  close(): void {
    this.#server.close();
  }

  get #path(): string {
    return this.#options.registered?.pathname ?? ownPath;
  }

  /** As the browser names us: what was registered is compared letter by letter. */
  get #host(): string {
    return `${this.#options.registered?.hostname ?? '127.0.0.1'}:${(this.#server.address() as AddressInfo | null)?.port ?? 0}`;
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, this.#options.registered?.hostname === '[::1]' ? '::1' : '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page elsewhere that has its own name point to 127.0.0.1 sends that name as the host.
    if (request.headers.host !== this.#host)
      return show(response, 421, 'Not here', 'Nothing is served under this name.');
    const url = URL.parse(request.url ?? '/', this.redirectUrl);
    if (request.method !== 'GET' || url?.pathname !== this.#path)
      return show(response, 404, 'Not found', 'There is nothing here.');
    const { serverName, state, onCallback } = this.#options;
    if (!sameToken(url.searchParams.get('state') ?? '', state)) {
      return show(
        response,
        400,
        'Not this sign-in',
        'This is not the sign-in that Tooltray waits for. Start it once more.',
      );
    }
    if (this.#used)
      return show(response, 410, 'Already used', 'This sign-in has come back before. You can close this window.');
    this.#used = true;
    try {
      await onCallback(url.searchParams);
      show(response, 200, 'Signed in', `Tooltray is signed in to ${serverName}. You can close this window.`);
    } catch (error) {
      show(response, 400, 'Not signed in', errorText(error));
    }
  }
}

function show(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(callbackPage(title, text));
}

function portTaken(port: number, cause: unknown): AppError {
  return new AppError('port_in_use', `The sign-in has to end at port ${port}, which is in use.`, {
    fix: 'Stop what uses it, or register another "redirect_uri".',
    cause,
  });
}
