/**
 * `fetch` for the MCP transports, over node:http. The built-in fetch fails after five silent minutes, which a
 * long tool call may need, and ignores proxy variables.
 */
import { lookup } from 'node:dns';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { contentCodings, decodeBody } from './decode-body.ts';
import { isLoopback, isUntrusted, type NamedProxy } from './http-errors.ts';
import type { OutboundNetwork } from './outbound-network.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpFetchOptions {
  /** Source of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Additional proxies and certificate authorities; without it, only `env` and those of Node.js. */
  readonly network?: OutboundNetwork | undefined;
  /** Resolves names; the system's resolver by default. */
  readonly lookup?: LookupFunction;
  /**
   * Maximum number of decoded bytes of a compressed body. Event streams never end, so the reader of their events
   * limits them.
   */
  readonly maxDecodedBytes?: number;
}

const defaultMaxDecodedBytes = 64 * 1024 * 1024;

/** Whether an address may be dialed. */
export type AddressRule = (address: string) => boolean;

type ProxyEnv = HttpFetchOptions['env'];

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

const dialedAt = Symbol('dialedAt');

/** The address that we dialed for a response; undefined if a proxy fetched it. */
export function dialedAddress(response: Response & { readonly [dialedAt]?: string }): string | undefined {
  return response[dialedAt];
}

export class HttpFetch {
  readonly #options: HttpFetchOptions;
  readonly #direct: Agents = makeAgents({ keepAlive: true });
  /** A reused connection would skip the check of the resolved address. */
  readonly #guardedDirect: Agents = makeAgents({});
  /** Agents by the proxy variables they follow. */
  readonly #proxied = new Map<string, { readonly plain: Agents; readonly guarded: Agents }>();

  constructor(options: HttpFetchOptions) {
    this.#options = options;
  }

  /**
   * Follows no redirects, accepts string bodies only, and decodes compressed responses. Rejects with the system's
   * error or the signal's reason.
   */
  readonly fetch: FetchLike = (url, init) => this.#send(new URL(url), init);

  /**
   * The same for addresses that a server named. A name is checked by the address it resolves to when dialed, which
   * prevents DNS rebinding. `refused` creates the error. A proxy checks its own requests.
   */
  guarded(allows: AddressRule, refused: (host: string) => Error): FetchLike {
    return async (url, init) => {
      const target = new URL(url);
      return this.#send(target, init, this.#guardedLookup(allows, refused));
    };
  }

  /** Closes idle connections. */
  close(): void {
    const proxied = [...this.#proxied.values()].flatMap(({ plain, guarded }) => [plain, guarded]);
    for (const { http, https } of [this.#direct, this.#guardedDirect, ...proxied]) {
      http.destroy();
      https.destroy();
    }
  }

  async #send(target: URL, init: RequestInit | undefined, guardedLookup?: LookupFunction): Promise<Response> {
    const { network } = this.#options;
    // A proxy would resolve 127.0.0.1 to itself.
    const isLocal = isLoopback(target.hostname);
    const env = isLocal || network === undefined ? this.#options.env : await network.proxyEnv(target);
    const dial = (): Promise<Response> => this.#dial(target, init, isLocal ? undefined : env, guardedLookup);
    if (target.protocol !== 'https:' || network === undefined) return dial();
    await network.ready();
    try {
      return await dial();
    } catch (error) {
      // Nothing was sent before the certificate was rejected.
      if (!isUntrusted(error) || !(await network.trustSystem())) throw error;
      return dial();
    }
  }

  /** `proxyEnv`: undefined for an address of this machine. */
  #dial(
    target: URL,
    init: RequestInit = {},
    proxyEnv: ProxyEnv | undefined,
    guardedLookup: LookupFunction | undefined,
  ): Promise<Response> {
    const secure = target.protocol === 'https:';
    const agents = this.#agents(proxyEnv, guardedLookup !== undefined);
    const lookUp = guardedLookup ?? this.#options.lookup;
    const options: RequestOptions = {
      method: init.method ?? 'GET',
      // Many servers buffer compressed event streams until a block is full.
      headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(init.headers)) },
      agent: secure ? agents.https : agents.http,
      ...(lookUp !== undefined && { lookup: lookUp }),
      ...(init.signal == null ? {} : { signal: init.signal }),
    };
    return new Promise<Response>((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(target, options, (incoming) => {
        const response = toResponse(incoming, this.#options.maxDecodedBytes ?? defaultMaxDecodedBytes);
        const { remoteAddress, remotePort } = incoming.socket;
        const isOfProxy = proxyEnv !== undefined && remotePort === proxyPort(proxyEnv, target);
        if (!isOfProxy) Object.defineProperty(response, dialedAt, { value: remoteAddress });
        resolve(response);
      });
      const proxy = proxyEnv === undefined ? undefined : proxyOf(proxyEnv, target);
      request.on('error', (error) => reject(proxy === undefined ? error : Object.assign(error, { proxy })));
      request.end(typeof init.body === 'string' ? init.body : undefined);
    });
  }

  #agents(proxyEnv: ProxyEnv | undefined, isGuarded: boolean): Agents {
    if (proxyEnv === undefined) return isGuarded ? this.#guardedDirect : this.#direct;
    const key = JSON.stringify(Object.entries(proxyEnv).filter(([name]) => /_proxy$/i.test(name)));
    let agents = this.#proxied.get(key);
    if (agents === undefined) {
      const env = { ...proxyEnv };
      agents = { plain: makeAgents({ keepAlive: true, proxyEnv: env }), guarded: makeAgents({ proxyEnv: env }) };
      this.#proxied.set(key, agents);
    }
    return isGuarded ? agents.guarded : agents.plain;
  }

  /** Skipped for a proxy's name, which Node.js resolves itself. */
  #guardedLookup(allows: AddressRule, refused: (host: string) => Error): LookupFunction {
    const resolve = this.#options.lookup ?? lookup;
    return (name, options, callback) => {
      resolve(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const allowed = [found].flat().filter((one) => typeof one === 'object' && allows(one.address));
        const [first] = allowed;
        if (typeof first !== 'object') return callback(refused(name), []);
        if (options.all === true)
          callback(
            null,
            allowed.filter((one) => typeof one === 'object'),
          );
        else callback(null, first.address, first.family);
      });
    };
  }
}

function makeAgents(options: { keepAlive?: boolean; proxyEnv?: Record<string, string | undefined> }): Agents {
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

/** The environment's proxy for such addresses, regardless of NO_PROXY. */
function proxyOf(env: HttpFetchOptions['env'], { protocol }: URL): NamedProxy | undefined {
  const name = `${protocol.slice(0, -1)}_proxy`;
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  const written = env[variable];
  if (written === undefined || !URL.canParse(written)) return undefined;
  const { hostname: host, port, protocol: of } = new URL(written);
  return { variable, host, port: Number(port || (of === 'https:' ? 443 : 80)) };
}

/** A server with the same port counts as the proxy. */
function proxyPort(env: HttpFetchOptions['env'], target: URL): number | undefined {
  return proxyOf(env, target)?.port;
}

function toResponse(incoming: IncomingMessage, maxDecodedBytes: number): Response {
  const headers = new Headers();
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i] ?? '', incoming.rawHeaders[i + 1] ?? '');
  }
  const status = incoming.statusCode ?? 500;
  const init = { status, statusText: incoming.statusMessage ?? '', headers };
  if (status === 204 || status === 205 || status === 304) {
    incoming.resume();
    return new Response(null, init);
  }
  return new Response(Readable.toWeb(plainBody(incoming, headers, maxDecodedBytes)) as WebBody, init);
}

type WebBody = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The decoded body; `headers` are changed accordingly. */
function plainBody(incoming: IncomingMessage, headers: Headers, maxDecodedBytes: number): Readable {
  const codings = contentCodings(headers.get('content-encoding'));
  if (codings.length === 0) return incoming;
  headers.delete('content-encoding');
  headers.delete('content-length');
  const isEndless = headers.get('content-type')?.trim().toLowerCase().startsWith('text/event-stream') === true;
  return decodeBody(incoming, codings, isEndless ? Infinity : maxDecodedBytes);
}
