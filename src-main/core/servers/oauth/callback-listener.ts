/**
 * Listens for the browser's callback of a sign-in, on this machine only: accepts the right callback once, and shows
 * the outcome.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, errorText } from '../../base/errors.ts';
import { escapeHtml, renderCallbackPage, callbackPageHeaders } from './callback-page.ts';

/** The response for the browser after the callback: a text or a redirect. */
export type CallbackResponse = { readonly text: string } | { readonly goTo: string };

interface CallbackListenerOptions {
  /** Whether the state is that of this sign-in, which only the authorization server could return. */
  readonly knowsState: (state: string) => boolean;
  /** Preferred ports: the first free one is used, so that a registered redirect address stays valid; else any port. */
  readonly wishedPorts: readonly number[];
  /** A redirect URI that the user registered: its port (any, if it names none) and path are required. */
  readonly registered?: URL | undefined;
  /** Handles the callback; the page shows the outcome. With `goTo` another callback follows. */
  readonly onCallback: (params: URLSearchParams) => Promise<CallbackResponse>;
}

export const callbackPath = '/oauth/callback';

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
    if (fixedPort > 0) {
      await listener.#listen(fixedPort).catch((error: unknown) => Promise.reject(portTaken(fixedPort, error)));
      return listener;
    }
    for (const port of [...options.wishedPorts, 0]) {
      const isOurs = await listener.#listen(port).then(
        () => true,
        () => false,
      );
      if (isOurs) break;
    }
    return listener;
  }

  get redirectUrl(): string {
    return `http://${this.#host}${this.#path}`;
  }

  /** Accepts no more requests; a response in progress is completed. */
  close(): void {
    this.#server.close();
  }

  get #path(): string {
    return this.#options.registered?.pathname ?? callbackPath;
  }

  /** The host in the redirect URI, which must match the registered one exactly. */
  get #host(): string {
    return `${this.#options.registered?.hostname ?? '127.0.0.1'}:${(this.#server.address() as AddressInfo | null)?.port ?? 0}`;
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, this.#options.registered?.hostname === '[::1]' ? '::1' : '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // With DNS rebinding, a foreign page sends its own name as the host.
    if (request.headers.host !== this.#host) return show(response, 421, 'Not here', 'Unknown host.');
    const url = URL.parse(request.url ?? '/', this.redirectUrl);
    if (request.method !== 'GET' || url?.pathname !== this.#path)
      return show(response, 404, 'Not found', 'This page does not exist.');
    const { knowsState, onCallback } = this.#options;
    if (!knowsState(url.searchParams.get('state') ?? '')) {
      return show(response, 400, 'Not this sign-in', 'Unknown sign-in. Start it again.');
    }
    if (this.#used)
      return show(response, 410, 'Already used', 'This sign-in was already used. You can close this window.');
    this.#used = true;
    try {
      const answer = await onCallback(url.searchParams);
      if ('text' in answer) return show(response, 200, 'Signed in', `${answer.text} You can close this window.`);
      this.#used = false;
      response.writeHead(302, { ...callbackPageHeaders, location: answer.goTo }).end();
    } catch (error) {
      show(response, 400, 'Not signed in', errorText(error));
    }
  }
}

function show(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, { ...callbackPageHeaders, 'content-type': 'text/html; charset=utf-8' });
  response.end(callbackPage(title, text));
}

function portTaken(port: number, cause: unknown): AppError {
  return new AppError('port_in_use', `The sign-in needs port ${port}, which is in use.`, {
    fix: 'Stop the program that uses it, or register another "redirect_uri".',
    cause,
  });
}

function callbackPage(title: string, text: string): string {
  return renderCallbackPage(title, `<p>${escapeHtml(text)}</p>`);
}
