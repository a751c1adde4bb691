/**
 * `fetch` as the MCP transports use it, over node:http. The built-in fetch gives up after five silent minutes, which a long
 * tool call may well need, and knows no proxy variables.
 */
import { lookup } from 'node:dns';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { contentCodings, decodeBody } from './decode-body.ts';
import { isLoopback, type NamedProxy } from './http-errors.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpFetchOptions {
  /** HTTP_PROXY, HTTPS_PROXY, NO_PROXY are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How names are resolved; the system's way by default. */
  readonly lookup?: LookupFunction;
  /** Most decoded bytes of one compressed body; event streams have no end, so they are bounded by whoever reads their events. */
  readonly maxDecodedBytes?: number;
}

const defaultMaxDecodedBytes = 64 * 1024 * 1024;

/** Answers whether an address may be dialed. */
export type AddressRule = (address: string) => boolean;

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

const dialedAt = Symbol('the address that was dialed');

/** The address that a response came from, where we dialed it ourselves; undefined for what a proxy fetched. */
export function dialedAddress(response: Response & { readonly [dialedAt]?: string }): string | undefined {
  return response[dialedAt];
}

export class HttpFetch {
  readonly #options: HttpFetchOptions;
  readonly #direct: Agents = makeAgents({ keepAlive: true });
  readonly #proxied: Agents;
  /** A kept connection would be used again without a look at where it leads. */
  readonly #guarded: { readonly direct: Agents; readonly proxied: Agents };

  constructor(options: HttpFetchOptions) {
    const proxyEnv = { ...options.env };
    this.#options = options;
    this.#proxied = makeAgents({ keepAlive: true, proxyEnv });
    this.#guarded = { direct: makeAgents({}), proxied: makeAgents({ proxyEnv }) };
  }

  /** Follows no redirect and knows string bodies only; decodes what is compressed. Rejects with the system's error or the signal's reason. */
  readonly fetch: FetchLike = (url, init) =>
    this.#send(new URL(url), init, { direct: this.#direct, proxied: this.#proxied });

  /**
   * The same for addresses that somebody else named: a name is judged by what it resolves to at the moment it is dialed, so that
   * nobody can change its meaning in between. `refused` makes the error. What goes through a proxy is the proxy's to judge.
   */
  guarded(allows: AddressRule, refused: (host: string) => Error): FetchLike {
    return async (url, init) => {
      const target = new URL(url);
      return this.#send(target, init, this.#guarded, this.#guardedLookup(allows, refused));
    };
  }

  /** Closes the connections that are kept for later. */
  close(): void {
    for (const { http, https } of [this.#direct, this.#proxied, this.#guarded.direct, this.#guarded.proxied]) {
      http.destroy();
      https.destroy();
    }
  }

  #send(
    target: URL,
    init: RequestInit = {},
    { direct, proxied }: { readonly direct: Agents; readonly proxied: Agents },
    guardedLookup: LookupFunction | undefined = this.#options.lookup,
  ): Promise<Response> {
    const secure = target.protocol === 'https:';
    // A proxy has its own idea of what 127.0.0.1 is.
    const agents = isLoopback(target.hostname) ? direct : proxied;
    const options: RequestOptions = {
      method: init.method ?? 'GET',
      // Compressed event streams are held back by many servers until a block is full.
      headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(init.headers)) },
      agent: secure ? agents.https : agents.http,
      ...(guardedLookup !== undefined && { lookup: guardedLookup }),
      ...(init.signal == null ? {} : { signal: init.signal }),
    };
    return new Promise<Response>((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(target, options, (incoming) => {
        const response = toResponse(incoming, this.#options.maxDecodedBytes ?? defaultMaxDecodedBytes);
        const { remoteAddress, remotePort } = incoming.socket;
        const isOfProxy = agents === proxied && remotePort === proxyPort(this.#options.env, target);
        if (!isOfProxy) Object.defineProperty(response, dialedAt, { value: remoteAddress });
        resolve(response);
      });
      const proxy = agents === proxied ? proxyOf(this.#options.env, target) : undefined;
      request.on('error', (error) => reject(proxy === undefined ? error : Object.assign(error, { proxy })));
      request.end(typeof init.body === 'string' ? init.body : undefined);
    });
  }

  /** Not asked for the name of a proxy: Node.js resolves that one in its own way. */
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

/** The proxy that the environment has for such addresses; NO_PROXY is not looked at. */
function proxyOf(env: HttpFetchOptions['env'], { protocol }: URL): NamedProxy | undefined {
  const name = `${protocol.slice(0, -1)}_proxy`;
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  const written = env[variable];
  if (written === undefined || !URL.canParse(written)) return undefined;
  const { hostname: host, port, protocol: of } = new URL(written);
  return { variable, host, port: Number(port || (of === 'https:' ? 443 : 80)) };
}

/** Where a server has the same port, it counts as the proxy. */
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

/** The body as it was before it was compressed; `headers` then say nothing of that any more. */
function plainBody(incoming: IncomingMessage, headers: Headers, maxDecodedBytes: number): Readable {
  const codings = contentCodings(headers.get('content-encoding'));
  if (codings.length === 0) return incoming;
  headers.delete('content-encoding');
  headers.delete('content-length');
  const isEndless = headers.get('content-type')?.trim().toLowerCase().startsWith('text/event-stream') === true;
  return decodeBody(incoming, codings, isEndless ? Infinity : maxDecodedBytes);
}
