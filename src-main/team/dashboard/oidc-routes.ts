/**
 * Routes of the sign-in at the team's issuer: from the dashboard to the issuer, back with the outcome, and the issuer's
 * notice that a user signed out (OpenID Connect Back-Channel Logout 1.0).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { callbackPageHeaders, escapeHtml, readTextBody, renderCallbackPage } from '../../core/edition.ts';
import { type AppError, toAppError } from '../../core/base/errors.ts';
import { HostCookie } from '../http/host-cookie.ts';
import type { OidcSignIn } from './oidc-sign-in.ts';

interface OidcRoutesDeps {
  readonly signIn: OidcSignIn;
  readonly isSecure: boolean;
  /** Throws AppError `not_allowed` for a cross-site request. */
  readonly requireOwnPage: (request: IncomingMessage) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  /** The `set-cookie` header that signs this browser in. */
  readonly sessionCookie: (secret: string, seconds: number) => string;
}

const startPath = '/session/start';
export const callbackPath = '/session/callback';
const logoutPath = '/session/backchannel-logout';
const maxLogoutBytes = 16 * 1024;
/** URL of the dashboard relative to both routes, because it may be below a path. */
const home = '../';

export class OidcRoutes {
  readonly #parts: OidcRoutesDeps;
  /** The SameSite setting must allow it, because another site redirects the browser back here. */
  readonly #binding: HostCookie;

  constructor(parts: OidcRoutesDeps) {
    this.#parts = parts;
    this.#binding = new HostCookie({ name: 'tooltray-begun', isSecure: parts.isSecure, sameSite: 'Lax' });
  }

  /** Returns false for another path. Never rejects. */
  async handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const route = `${request.method} ${path}`;
    try {
      if (route === `GET ${startPath}`) await this.#start(request, response);
      else if (route === `GET ${callbackPath}`) await this.#finish(request, response);
      else if (route === `POST ${logoutPath}`) await this.#logOut(request, response);
      else return false;
    } catch (error) {
      showFailure(response, toAppError(error));
    }
    return true;
  }

  async #logOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const form = new URLSearchParams(await readTextBody(request, maxLogoutBytes));
      await this.#parts.signIn.logOut(form.get('logout_token') ?? '', this.#parts.addressOf(request));
      response.writeHead(200, callbackPageHeaders).end();
    } catch (error) {
      const { code, text } = toAppError(error);
      const body = { error: code === 'bad_request' ? 'invalid_request' : 'server_error', error_description: text };
      response.writeHead(400, { ...callbackPageHeaders, 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    }
  }

  async #start(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#parts.requireOwnPage(request);
    const { goTo, binding, seconds } = await this.#parts.signIn.begin();
    response.setHeader('set-cookie', this.#binding.serialize(binding, seconds));
    response.writeHead(303, { ...callbackPageHeaders, location: goTo }).end();
  }

  async #finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { addressOf, sessionCookie, signIn } = this.#parts;
    const params = new URL(request.url ?? '/', 'http://localhost').searchParams;
    const { secret, seconds } = await signIn.finish(params, this.#binding.read(request), addressOf(request));
    response.setHeader('set-cookie', [this.#binding.serialize('', 0), sessionCookie(secret, seconds)]);
    response.writeHead(303, { ...callbackPageHeaders, location: home }).end();
  }
}

function showFailure(response: ServerResponse, { code, text }: AppError): void {
  const body = `<p>${escapeHtml(text)}</p><p><a href="${home}">Back to Tooltray</a></p>`;
  const status = code === 'server_unreachable' || code === 'store_unreachable' ? 503 : 400;
  response.writeHead(status, { ...callbackPageHeaders, 'content-type': 'text/html; charset=utf-8' });
  response.end(renderCallbackPage('Not signed in', body));
}
