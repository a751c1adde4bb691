/**
 * Browser routes for signing in to a server of the team: first a Tooltray page that names the user, then the
 * authorization server, then the callback. Source for the page and the browser binding: MCP 2025-11-25, Elicitation,
 * "Safe URL Handling" and "Phishing".
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { callbackPageHeaders, clientMetadataDocument, escapeHtml, renderCallbackPage } from '../../core/edition.ts';
import { AppError, toAppError } from '../../core/base/errors.ts';
import { HostCookie } from '../http/host-cookie.ts';
import type { TeamSignIns } from './team-sign-ins.ts';

export interface OAuthRoutesOptions {
  readonly signIns: TeamSignIns;
  /** See `TeamSignInsOptions`. */
  readonly publicUrl: () => string;
  /** ID of the user who is signed in to Tooltray in this browser; undefined if unknown. */
  readonly whoIs?: ((request: IncomingMessage) => Promise<string | undefined>) | undefined;
}

const root = '/sign-in/';
/** Time for the user to sign in. */
const cookieMaxAgeSeconds = 600;

export class OAuthRoutes {
  readonly #options: OAuthRoutesOptions;

  constructor(options: OAuthRoutesOptions) {
    this.#options = options;
  }

  /** Resolves to whether the path was handled. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url?.pathname.includes(root) !== true) return false;
    try {
      const path = this.#below(url.pathname);
      if (!path.startsWith(root)) return false;
      const word = path.slice(root.length);
      if (word === 'client.json' && request.method === 'GET') this.#describe(response);
      else if (word === 'callback' && request.method === 'GET') await this.#finish(url.searchParams, request, response);
      else if (request.method === 'GET') await this.#showConfirmation(word, request, response);
      else if (request.method === 'POST') await this.#begin(word, request, response);
      else show(response, 405, 'Not here', 'Method not allowed.');
    } catch (error) {
      const { text } = toAppError(error);
      show(response, 400, 'Not signed in', text);
    }
    return true;
  }

  /** Client metadata for authorization servers, served whether or not the config uses its URL as the client ID. */
  #describe(response: ServerResponse): void {
    const { documentUrl, redirectUrl } = this.#options.signIns;
    response
      .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' })
      .end(JSON.stringify(clientMetadataDocument(documentUrl, redirectUrl)));
  }

  async #showConfirmation(word: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const invitation = await this.#options.signIns.invitation(word);
    await this.#requireSignedInUser(invitation, request);
    const { name: user, server } = invitation;
    const body = `<p>${escapeHtml(
      `The user ${user} of this Tooltray will use ${server} with the account that you sign in with. Continue only if you are ${user} and started this sign-in yourself. Anyone else who sent you this link would get access to your account.`,
    )}</p><form method="post"><button>${escapeHtml(`I am ${user}: sign in to ${server}`)}</button></form>`;
    // Otherwise the button's request would lack its origin.
    page(response, 200, `Sign in to ${server} as ${user}`, body, 'same-origin');
  }

  async #begin(word: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireSameOrigin(request, this.#options.publicUrl());
    const { signIns } = this.#options;
    const invitation = await signIns.invitation(word);
    await this.#requireSignedInUser(invitation, request);
    const binding = randomBytes(32).toString('base64url');
    const goTo = await signIns.begin(invitation, binding);
    response.setHeader('set-cookie', this.#cookie.serialize(binding, cookieMaxAgeSeconds));
    response.writeHead(303, { ...callbackPageHeaders, location: goTo }).end();
  }

  async #finish(params: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const came = await this.#options.signIns.finish(params, this.#cookie.read(request));
    if ('text' in came) return show(response, 200, 'Signed in', `${came.text} You can close this window now.`);
    response.writeHead(302, { ...callbackPageHeaders, location: came.goTo }).end();
  }

  async #requireSignedInUser({ name, user }: { name: string; user: string }, request: IncomingMessage): Promise<void> {
    const here = await this.#options.whoIs?.(request);
    if (here === undefined || here === user) return;
    throw new AppError('not_allowed', `This link is for ${name}, but another user is signed in in this browser.`, {
      fix: 'Request a link from your own app.',
    });
  }

  /** A load balancer may map a path of a site to us. */
  #below(pathname: string): string {
    const folder = new URL(this.#options.publicUrl()).pathname.replace(/\/+$/, '');
    return folder !== '' && pathname.startsWith(`${folder}/`) ? pathname.slice(folder.length) : pathname;
  }

  /** The SameSite setting must allow it, because another site redirects the browser back here. */
  get #cookie(): HostCookie {
    const isSecure = this.#options.publicUrl().startsWith('https:');
    return new HostCookie({ name: 'tooltray-sign-in', isSecure, sameSite: 'Lax' });
  }
}

/** A page of another site could send the button's request, but not hide its origin. */
function requireSameOrigin({ headers }: IncomingMessage, publicUrl: string): void {
  const { origin = '', 'sec-fetch-site': site = 'same-origin' } = headers;
  if ((origin === '' || origin === new URL(publicUrl).origin) && site === 'same-origin') return;
  throw new AppError('not_allowed', 'Cross-origin requests are not allowed.');
}

function show(response: ServerResponse, status: number, title: string, text: string): void {
  page(response, status, title, `<p>${escapeHtml(text)}</p>`);
}

function page(response: ServerResponse, status: number, title: string, body: string, referrer = 'no-referrer'): void {
  const headers = { ...callbackPageHeaders, 'referrer-policy': referrer, 'content-type': 'text/html; charset=utf-8' };
  response.writeHead(status, headers).end(renderCallbackPage(title, body));
}
