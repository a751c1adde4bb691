/**
 * A team's dashboard over HTTP: static files without authentication, requests for signed-in users. They are identified
 * by a host-only cookie that scripts cannot read and that is not sent with cross-site requests. Host and Origin are
 * checked before this runs (`http/allowed-hosts.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseBody, readTextBody, requestPath } from '../../core/edition.ts';
import { type DashboardRoutesOptions, handleRpcRequest, pageHeaders, sendError, servePage } from '../../rpc/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { objectOrEmpty, textOrEmpty } from '../../core/base/json.ts';
import { HostCookie } from '../http/host-cookie.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import { OidcRoutes } from './oidc-routes.ts';
import type { OidcSignIn } from './oidc-sign-in.ts';
import type { DashboardSessions } from './dashboard-sessions.ts';
import type { TokenSignIn } from './token-sign-in.ts';
import type { Viewer } from './viewer.ts';

export interface DashboardRoutesDeps {
  /** Folder of the built page. */
  readonly root: string;
  /** Browsers reach it only over HTTPS. */
  readonly isSecure: boolean;
  readonly proxies: TrustedProxies;
  readonly sessions: DashboardSessions;
  readonly signIn: TokenSignIn;
  /** undefined: users can only sign in with a token. */
  readonly issuer: OidcSignIn | undefined;
  /** State and requests for a viewer's page. */
  readonly of: (viewer: Viewer) => Pick<DashboardRoutesOptions, 'publisher' | 'ask' | 'spillFile'>;
  /** Registers long-lived responses; they end once `secret` no longer grants access. */
  readonly follow: (secret: string, viewer: Viewer, response: ServerResponse) => void;
  readonly left: (viewer: Viewer) => void;
}

/** Response header that tells the page that it has to sign in, and how. */
const signInHeader = 'tooltray-sign-in';
const maxInputBytes = 16 * 1024;

export class DashboardRoutes {
  readonly #parts: DashboardRoutesDeps;
  readonly #cookie: HostCookie;
  readonly #issuer: OidcRoutes | undefined;

  constructor(parts: DashboardRoutesDeps) {
    const { isSecure, issuer, proxies } = parts;
    this.#parts = parts;
    this.#cookie = new HostCookie({ name: 'tooltray', isSecure, sameSite: 'Strict' });
    this.#issuer =
      issuer &&
      new OidcRoutes({
        signIn: issuer,
        isSecure,
        requireOwnPage: (request) => this.#requireOwnPage(request),
        addressOf: (request) => proxies.clientOf(request).address,
        sessionCookie: (secret, seconds) => this.#cookie.serialize(secret, seconds),
      });
  }

  /** Returns false if the path does not belong to the dashboard. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const path = requestPath(request);
    const isQuestion = path.startsWith('/rpc/');
    if ((await this.#issuer?.handle(path, request, response)) === true) return true;
    if (!isQuestion && path !== '/session' && path !== '/session/end')
      return servePage(path, request, response, this.#parts.root);
    try {
      this.#requireOwnPage(request);
      if (isQuestion) await this.#handleRpc(path.slice('/rpc/'.length), request, response);
      else if (path === '/session' && request.method === 'GET') this.#sendSignInOptions(response);
      else await this.#session(path, request, response);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthorized' && !response.headersSent)
        response.setHeader(signInHeader, 'token');
      sendError(response, error);
    }
    return true;
  }

  /** Returns the user signed in in this browser; undefined if there is none, or if another site sent the request. */
  viewer(request: IncomingMessage): Promise<Viewer | undefined> {
    return this.#parts.sessions.viewer(this.#cookie.read(request));
  }

  /** Rejects with AppError `unauthorized`. */
  async #handleRpc(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const secret = this.#cookie.read(request);
    const viewer = await this.#parts.sessions.viewer(secret);
    if (viewer === undefined) throw new AppError('unauthorized', 'You are not signed in.', { fix: 'Sign in.' });
    if (path === 'events') this.#parts.follow(secret, viewer, response);
    await handleRpcRequest(path, request, response, this.#parts.of(viewer));
  }

  /** Sends the available sign-in methods. */
  #sendSignInOptions(response: ServerResponse): void {
    const ways = { issuer: this.#parts.issuer?.host ?? null };
    response.writeHead(200, { ...pageHeaders, 'content-type': 'application/json' }).end(JSON.stringify(ways));
  }

  async #session(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireJsonPost(request);
    const { sessions, signIn, proxies } = this.#parts;
    if (path === '/session/end') {
      const secret = this.#cookie.read(request);
      const viewer = await sessions.viewer(secret);
      if (viewer !== undefined) {
        await sessions.end(secret);
        this.#parts.left(viewer);
      }
      response.setHeader('set-cookie', this.#cookie.serialize('', 0));
    } else {
      const token = textOrEmpty(objectOrEmpty(parseBody(await readTextBody(request, maxInputBytes)))['token']);
      const { secret, seconds } = await signIn.signIn(token, proxies.clientOf(request).address);
      response.setHeader('set-cookie', this.#cookie.serialize(secret, seconds));
    }
    response.writeHead(200, { ...pageHeaders, 'content-type': 'application/json' }).end('{}');
  }

  /** Throws AppError `not_allowed`. An allowed host is not enough, because each allowed name is a separate site. */
  #requireOwnPage(request: IncomingMessage): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isOwn = origin === undefined || URL.parse(origin)?.host === this.#parts.proxies.clientOf(request).host;
    if (isOwn && (site === undefined || site === 'same-origin' || site === 'none')) return;
    throw new AppError('not_allowed', 'Cross-origin requests are not allowed.');
  }
}

/** Throws AppError. Forms of other pages can send other content types without a CORS preflight. */
function requireJsonPost({ method, headers }: IncomingMessage): void {
  if (method !== 'POST') throw new AppError('unsupported', 'Use POST.');
  if (/^application\/json\b/i.test(headers['content-type'] ?? '')) return;
  throw new AppError('bad_request', 'The content type must be application/json.');
}
