/**
 * `fetch` as the MCP transports use it, over node:http. The built-in fetch gives up after five silent minutes, which a long
 * tool call may well need, and knows no proxy variables.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { isLoopback } from './http-errors.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpFetchOptions {
  /** HTTP_PROXY, HTTPS_PROXY, NO_PROXY are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class HttpFetch {
  readonly #direct = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  readonly #proxied: { readonly http: HttpAgent; readonly https: HttpsAgent };

  constructor(options: HttpFetchOptions) {
    const proxyEnv = { ...options.env };
    this.#proxied = {
      http: new HttpAgent({ keepAlive: true, proxyEnv }),
      https: new HttpsAgent({ keepAlive: true, proxyEnv }),
    };
  }

  /** Follows no redirect and knows string bodies only; rejects with the system's error or the signal's reason. */
  readonly fetch: FetchLike = async (url, init = {}) => {
    const target = new URL(url);
    const secure = target.protocol === 'https:';
    // A proxy has its own idea of what 127.0.0.1 is.
    const agents = isLoopback(target.hostname) ? this.#direct : this.#proxied;
    const options = {
      method: init.method ?? 'GET',
      // Compressed event streams are held back by many servers until a block is full.
      headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(init.headers)) },
      agent: secure ? agents.https : agents.http,
      ...(init.signal == null ? {} : { signal: init.signal }),
    };
    return new Promise<Response>((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(target, options, (incoming) =>
        resolve(toResponse(incoming)),
      );
      request.on('error', reject);
      request.end(typeof init.body === 'string' ? init.body : undefined);
    });
  };

  /** Closes the connections that are kept for later. */
  close(): void {
    for (const agents of [this.#direct, this.#proxied]) {
      agents.http.destroy();
      agents.https.destroy();
    }
  }
}

function toResponse(incoming: IncomingMessage): Response {
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
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>, init);
}
