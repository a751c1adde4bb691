/** Client apps over HTTP: 127.0.0.1 only, a token, Host and Origin checked, then routed by era and endpoint. */
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { AppError, type ErrorCode, errorText, toAppError } from '../../base/errors.ts';
import { sameToken } from '../../security/access-token.ts';
import { toErrorBody } from '../../wire/peer.ts';
import { rpcCode } from '../../wire/message.ts';
import { type Endpoint, endpointOf, unknownEndpoint } from '../views/endpoint.ts';
import { idOf, readJsonBody, replyError, requestPath } from './http-io.ts';
import { LegacyHttp, type OpenSession, type SessionPlace } from './legacy-http.ts';
import { ModernEndpoints, type OpenModern } from './modern-endpoints.ts';
import type { ModernEndpoint } from './modern-http.ts';

export interface HttpListenerOptions {
  /** undefined: no token is asked for (tests only). */
  readonly token: string | undefined;
  /** Whether the token is that of this client app, which opens `/mcp/app/<app>`. */
  readonly acceptsAppToken?: ((app: string, token: string) => boolean) | undefined;
  /** Whether a token opens `/mcp/p/<profile>`: its id, or why it does not. */
  readonly judgeProfileToken?: ((profile: string, token: string) => string | AppError) | undefined;
  /** Hears which client app the address names, where it names one; throws AppError not_allowed to keep it out. */
  readonly admitApp?: ((app: string | undefined) => void) | undefined;
  readonly openLegacy: (endpoint: Endpoint) => OpenSession;
  readonly openModern: OpenModern;
  /** Anything outside of /mcp; answers false when it is not its own either. */
  readonly other?: ((request: IncomingMessage, response: ServerResponse) => Promise<boolean>) | undefined;
  readonly onOddity: (text: string) => void;
}

const maxBodyBytes = 64 * 1024 * 1024;
const maxConnections = 2000;
/** Who was answered before they had sent all may read the answer so long, in ms. */
const hangUpMs = 500;

export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #legacy = new LegacyHttp();
  readonly #modern: ModernEndpoints;
  readonly #hostOk = localhostHostValidation();
  readonly #originOk = localhostOriginValidation();
  readonly #servers = new Set<HttpServer>();
  /** What is being answered to tokens of profiles, by their ids. */
  readonly #toTokens = new Map<string, Set<ServerResponse>>();

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#modern = new ModernEndpoints(options.openModern);
  }

  get modernEndpoints(): readonly ModernEndpoint[] {
    return this.#modern.all;
  }

  /** Opens a port, one more where others are open; 0 takes any free one. Resolves to it. Rejects with AppError port_in_use. */
  async open(port: number): Promise<number> {
    const server = createServer({ connectionsCheckingInterval: 2000 }, (request, response) => {
      response.once('finish', () => hangUpUnlessRead(request));
      void this.#answer(request, response);
    });
    // Answers may take as long as a tool does, and streams stay open.
    server.requestTimeout = 0;
    server.headersTimeout = 10_000;
    server.maxConnections = maxConnections;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(portError(error, port)));
      server.listen(port, '127.0.0.1', resolve);
    });
    this.#servers.add(server);
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** What it has open in 2026-07-28, where no session is; sessions are ended by whoever opened them. */
  async endApp(app: string): Promise<void> {
    await this.#modern.end(app);
  }

  /** Ends what tokens of profiles have open, sessions and streams, where they are over. */
  async endTokens(isOver: (id: string) => boolean): Promise<void> {
    const over = (id: string | undefined): boolean => id !== undefined && isOver(id);
    const ended = this.#legacy.end(({ token }) => over(token));
    for (const [id, responses] of this.#toTokens) if (isOver(id)) for (const response of responses) response.destroy();
    await ended;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#legacy.close(), this.#modern.close()]);
    await Promise.all(
      [...this.#servers].map((server) => {
        server.closeAllConnections();
        return new Promise<void>((resolve) => server.close(() => resolve()));
      }),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!this.#hostOk(request, response) || !this.#originOk(request, response)) return;
      const pathname = requestPath(request);
      const endpoint = endpointOf(pathname);
      if (endpoint === undefined) await this.#elsewhere(pathname, request, response);
      else {
        const holder = this.#holder(request, endpoint);
        if (holder === undefined || holder instanceof AppError) return refuse(response, holder);
        this.#options.admitApp?.(endpoint.app);
        const { token } = holder;
        if (token !== undefined) this.#follow(token, response);
        await this.#mcp(endpoint, { path: pathname, ...holder }, request, response);
      }
    } catch (error) {
      this.#options.onOddity(errorText(error));
      fail(response, error);
    }
  }

  async #elsewhere(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((await this.#options.other?.(request, response)) === true) return;
    replyError(response, 404, { code: rpcCode.invalidRequest, message: unknownEndpoint(pathname).text });
  }

  #follow(token: string, response: ServerResponse): void {
    const open = this.#toTokens.get(token) ?? new Set();
    this.#toTokens.set(token, open.add(response));
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0 && this.#toTokens.get(token) === open) this.#toTokens.delete(token);
    });
  }

  /** Whose token it is: the person's, the app's, or one of the profile; else why it opens nothing, where there is more to say than that. */
  #holder(request: IncomingMessage, { app, profile }: Endpoint): Holder | AppError | undefined {
    const { token, acceptsAppToken, judgeProfileToken } = this.#options;
    if (token === undefined) return { holder: 'person' };
    const given = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) return undefined;
    if (sameToken(given, token)) return { holder: 'person' };
    if (app !== undefined && acceptsAppToken?.(app, given) === true) return { holder: `app ${app}` };
    const id = profile === undefined ? undefined : judgeProfileToken?.(profile, given);
    return typeof id === 'string' ? { holder: `token ${id}`, token: id } : id;
  }

  async #mcp(
    endpoint: Endpoint,
    from: SessionPlace,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const post = request.method === 'POST';
    const body = post ? await readJsonBody(request, maxBodyBytes) : undefined;
    const kind = classifyInboundRequest({
      httpMethod: request.method ?? 'GET',
      ...header(request, 'mcp-protocol-version', 'protocolVersionHeader'),
      ...header(request, 'mcp-method', 'mcpMethodHeader'),
      ...header(request, 'mcp-name', 'mcpNameHeader'),
      ...(body !== undefined && { body }),
    }).kind;
    try {
      if (kind === 'legacy')
        await this.#legacy.serve(request, response, body, from, this.#options.openLegacy(endpoint));
      else await this.#modern.at(endpoint, from.path, body).serve(request, response, body);
    } catch (error) {
      const known = toAppError(error);
      replyError(response, mcpStatus.get(known.code) ?? 500, toErrorBody(known), idOf(body));
    }
  }
}

type Holder = Pick<SessionPlace, 'holder' | 'token'>;

function header(request: IncomingMessage, name: string, as: string): Record<string, string> {
  const value = request.headers[name];
  return typeof value === 'string' ? { [as]: value } : {};
}

/** A body that goes on after its answer, byte by byte, would keep the connection for ever. */
function hangUpUnlessRead(request: IncomingMessage): void {
  if (request.complete) return;
  // One that had come whole but was not looked at leaves the connection as good as it was.
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, hangUpMs).unref();
}

function refuse(response: ServerResponse, why: AppError | undefined): void {
  response.setHeader('www-authenticate', 'Bearer realm="tooltray"');
  const message = why?.text ?? 'A token is needed: Authorization: Bearer <token>. `tooltray serve` prints where it is.';
  replyError(response, 401, { code: rpcCode.aborted, message });
}

const mcpStatus: ReadonlyMap<ErrorCode, number> = new Map([
  ['server_not_found', 404],
  ['mode_unknown', 404],
  // A profile that there is not.
  ['not_found', 404],
  ['session_limit', 429],
]);

const failStatus: ReadonlyMap<ErrorCode, number> = new Map([
  ['bad_request', 400],
  ['not_allowed', 403],
  ['message_too_large', 413],
]);

function fail(response: ServerResponse, error: unknown): void {
  const known = toAppError(error);
  const parse = known.code === 'bad_request';
  replyError(response, failStatus.get(known.code) ?? 500, {
    ...toErrorBody(known),
    ...(parse && { code: rpcCode.parse }),
  });
}

function portError(error: NodeJS.ErrnoException, port: number): AppError {
  if (error.code !== 'EADDRINUSE')
    return new AppError('port_in_use', `Port ${port} cannot be used: ${error.message}.`, { cause: error });
  return new AppError('port_in_use', `Port ${port} is in use by another program.`, {
    fix: 'Choose another with --port, or --port 0 for any free one.',
    cause: error,
  });
}
