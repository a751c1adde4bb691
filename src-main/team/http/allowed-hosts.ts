/**
 * Checks Host against the names of a replica and Origin against the allowed pages: DNS rebinding is visible in Host,
 * other foreign pages in Origin. Source: MCP 2025-11-25 and 2026-07-28, basic/transports, "Security Warning".
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { httpRefusal, type HttpRefusal, requestPath, rpcCode } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Requested by orchestrators by IP address, which cannot be a rebound name. */
const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

interface HostPattern {
  /** In lower case, IPv6 in brackets. */
  readonly name: string;
  /** Empty: any. */
  readonly port: string;
}

export class AllowedHosts {
  readonly #names: readonly HostPattern[];
  readonly #proxies: TrustedProxies;

  /** `names`: `tools.example.com`, or with a port, which must then match. Throws AppError `bad_request`. */
  constructor(names: readonly string[], proxies: TrustedProxies) {
    this.#names = names.map((name) => {
      const read = readHost(name);
      if (read !== undefined) return read;
      throw new AppError('bad_request', `${JSON.stringify(name)} is not a valid host name.`, {
        fix: 'Example: tools.example.com,10.0.0.7:8080',
      });
    });
    this.#proxies = proxies;
  }

  /** undefined if the request is allowed. */
  reject(request: IncomingMessage): HttpRefusal | undefined {
    const { host } = this.#proxies.clientOf(request);
    if (!this.#has(host) && !isProbe(request, host))
      return httpRefusal(403, rpcCode.aborted, 'Host not allowed. See --allowed-hosts.');
    const { origin } = request.headers;
    if (origin !== undefined && origin !== '' && !this.#has(originHost(origin)))
      return httpRefusal(403, rpcCode.aborted, 'Origin not allowed.');
    return undefined;
  }

  #has(text: string | undefined): boolean {
    const host = text === undefined ? undefined : readHost(text);
    return host !== undefined && this.#names.some(({ name, port }) => name === host.name && isPort(port, host.port));
  }
}

function isPort(wanted: string, port: string): boolean {
  return wanted === '' || wanted === port;
}

function isProbe(request: IncomingMessage, host: string | undefined): boolean {
  const name = readHost(host ?? '')?.name.replace(/^\[(.*)\]$/, '$1') ?? '';
  return request.method === 'GET' && isIP(name) !== 0 && probePaths.has(requestPath(request));
}

function readHost(text: string): HostPattern | undefined {
  const [, name, port = ''] = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), port };
}

function originHost(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
}
