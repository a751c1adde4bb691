/**
 * Tells a client app without a token which authorization server issues them, for each endpoint. Sources: RFC 9728, 3
 * and 5.1; MCP 2025-11-25 and 2026-07-28, basic/authorization, "Authorization Server Location".
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseEndpoint, requestPath } from '../../core/edition.ts';
import { allScopes } from '../users/scopes.ts';

const wellKnown = '/.well-known/oauth-protected-resource';
/** How long clients may cache the metadata, in seconds. */
const maxAgeSeconds = 300;

export class ResourceMetadata {
  readonly #issuer: string;
  readonly #resource: () => string;

  /** `resource`: URL of `/mcp` for client apps. */
  constructor(issuer: string, resource: () => string) {
    this.#issuer = issuer;
    this.#resource = resource;
  }

  /** Public, with CORS for all origins, because it is requested before there is a token. */
  matches(request: IncomingMessage): boolean {
    return this.#pathIn(request) !== undefined;
  }

  /** False for any other request. */
  respond(request: IncomingMessage, response: ServerResponse): boolean {
    const path = this.#pathIn(request);
    if (path === undefined) return false;
    const open = ['access-control-allow-origin', '*', 'access-control-allow-methods', 'GET, HEAD, OPTIONS'];
    if (request.method === 'OPTIONS') {
      const more = ['access-control-allow-headers', '*, authorization', 'access-control-max-age', '86400'];
      response.writeHead(204, [...open, ...more]).end();
      return true;
    }
    const body = JSON.stringify({
      resource: this.#resource().replace(/\/mcp$/, '') + path,
      authorization_servers: [this.#issuer],
      scopes_supported: allScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Tooltray',
    });
    const about = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))];
    response.writeHead(200, [...open, ...about, 'cache-control', `public, max-age=${maxAgeSeconds}`]).end(body);
    return true;
  }

  /** URL of the metadata for the requested endpoint. */
  urlFor(request: IncomingMessage): string {
    const { origin, pathname } = new URL(this.#resource());
    return origin + wellKnown + pathname.replace(/\/mcp$/, '') + requestPath(request);
  }

  /** Returns the path of an endpoint; a path prefix of the public address may precede it. */
  #pathIn(request: IncomingMessage): string | undefined {
    if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '')) return undefined;
    const requestedPath = requestPath(request);
    if (!requestedPath.startsWith(wellKnown)) return undefined;
    const rest = requestedPath.slice(wellKnown.length).replace(/\/$/, '');
    const base = new URL(this.#resource()).pathname.replace(/\/mcp$/, '');
    const path = base !== '' && rest.startsWith(base) ? rest.slice(base.length) : rest;
    if (path === '') return '/mcp';
    return path.startsWith('/') && parseEndpoint(path) !== undefined ? path : undefined;
  }
}
