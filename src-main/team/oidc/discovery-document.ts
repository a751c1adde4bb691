/**
 * Metadata of an issuer: its keys, and its sign-in endpoints. Accepted only if it names the issuer that was queried.
 * Sources: OpenID Connect Discovery 1.0, 4; RFC 8414, 3; MCP 2026-07-28, basic/authorization, "Authorization Server
 * Metadata Discovery".
 */
import {
  type AddressKind,
  addressKindOf,
  dialedAddress,
  dialRule,
  type HttpFetch,
  isSafeUrl,
} from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import { isObject, type JsonObject } from '../../core/base/json.ts';

const requestTimeoutMs = 5_000;
const maxBytes = 512 * 1024;

/**
 * Fetches JSON from an issuer. URLs in its metadata cannot reach further into private networks than the issuer itself.
 */
export class IssuerFetch {
  /** Exact issuer identifier, as in the config. */
  readonly issuer: string;
  readonly #http: HttpFetch;
  #home: AddressKind;

  /** Throws AppError `bad_request` for an invalid issuer identifier. */
  constructor(issuer: string, http: HttpFetch) {
    this.issuer = issuer;
    this.#http = http;
    const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
    // The administrator may use private networks; without HTTPS the keys could be forged, except on this computer.
    if (url === undefined || url.search !== '' || url.hash !== '' || !isSafeUrl(url, 'loopback'))
      throw new AppError('bad_request', `${JSON.stringify(issuer)} is no issuer.`, {
        fix: 'Use the HTTPS URL exactly as in the issuer’s metadata, without a query.',
      });
    this.#home = addressKindOf(issuer, undefined);
  }

  /** Returns the issuer's metadata. Rejects with AppError `server_unreachable`. */
  async metadata(): Promise<DiscoveryDocument> {
    let why: unknown;
    for (const address of wellKnown(this.issuer)) {
      try {
        const response = await this.#http.fetch(address, { signal: AbortSignal.timeout(requestTimeoutMs) });
        const found = await readJson(response);
        this.#home = addressKindOf(this.issuer, dialedAddress(response));
        if (found === undefined) continue;
        return new DiscoveryDocument(this.issuer, found, this.#home);
      } catch (error) {
        why ??= error;
      }
    }
    throw this.unavailable(why ?? new Error('it has no metadata'));
  }

  /** Requests a URL of its metadata; a body is form-encoded. Rejects with AppError `server_unreachable`. */
  async ask(address: URL, init: RequestInit = {}): Promise<{ readonly status: number; readonly body: unknown }> {
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const response = await this.#fetchFor(address)(address, { ...init, signal });
      const body = await readText(response);
      return { status: response.status, body: parsed(body) };
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  /** In words for a client app or a browser. */
  unavailable(cause: unknown): AppError {
    const { host } = new URL(this.issuer);
    return new AppError('server_unreachable', `Cannot verify tokens: the issuer ${host} is unreachable.`, {
      fix: 'Try again later. Personal access tokens still work.',
      cause: new Error(errorText(cause), { cause }),
    });
  }

  #fetchFor({ hostname }: URL): HttpFetch['fetch'] {
    if (hostname === new URL(this.issuer).hostname) return this.#http.fetch;
    return this.#http.guarded(
      dialRule(this.#home),
      (host) => new Error(`${host} is in a network that the issuer is not in`),
    );
  }
}

export class DiscoveryDocument {
  readonly issuer: string;
  readonly #said: JsonObject;
  readonly #home: AddressKind;

  /** Throws if it names another issuer. `home`: the issuer's kind of network. */
  constructor(issuer: string, said: JsonObject, home: AddressKind) {
    if (said['issuer'] !== issuer) throw new Error(`its metadata is of ${JSON.stringify(said['issuer'])}`);
    this.issuer = issuer;
    this.#said = said;
    this.#home = home;
  }

  /** Any other member, unchanged. */
  member(name: string): unknown {
    return this.#said[name];
  }

  /** Such as `jwks_uri` or `token_endpoint`; undefined if missing or unsafe. */
  address(name: string): URL | undefined {
    const said = this.#said[name];
    if (typeof said !== 'string' || !URL.canParse(said)) return undefined;
    const url = new URL(said);
    const isOwn = url.origin === new URL(this.issuer).origin;
    return isOwn || isSafeUrl(url, this.#home) ? url : undefined;
  }
}

/** In the order used by MCP clients. */
function wellKnown(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, '');
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  return [...new Set([origin + oauth + path, origin + openid + path, origin + path + openid])];
}

/** undefined if there is none. */
async function readJson(response: Response): Promise<JsonObject | undefined> {
  const body = await readText(response);
  if (response.status >= 500) throw new Error(`it returned HTTP ${response.status}`);
  const said = response.ok ? parsed(body) : undefined;
  return isObject(said) ? said : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`its response exceeds ${maxBytes / 1024} kB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
