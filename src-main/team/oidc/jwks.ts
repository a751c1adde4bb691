/** An issuer's public keys, cached and refetched for unknown key IDs, with a minimum interval. */
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { AppError } from '../../core/base/errors.ts';
import { isObject } from '../../core/base/json.ts';
import type { DiscoveryDocument, IssuerFetch } from './discovery-document.ts';

/** Refresh interval in ms. */
const refreshAfterMs = 5 * 60_000;
/** Maximum age of keys while the issuer is unreachable, in ms: a revoked key must not stay valid for days. */
const maxAgeMs = 12 * 60 * 60_000;
/** Minimum interval between fetches, in ms. */
const cooldownMs = 5_000;
const maxKeys = 100;

interface CachedKeys {
  readonly keys: LocalJWKSet;
  readonly document: DiscoveryDocument;
  /** Time of the fetch. */
  readonly at: number;
}

export class JwksCache {
  readonly #fetch: IssuerFetch;
  readonly #now: () => number;
  #cached: CachedKeys | undefined;
  #triedAt = -Infinity;
  #lastError: AppError | undefined;
  #reading: Promise<void> | undefined;

  constructor(fetch: IssuerFetch, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Returns the issuer's metadata. Rejects with AppError `server_unreachable`. */
  async document(): Promise<DiscoveryDocument> {
    return (await this.#current()).document;
  }

  /** Key lookup for `jwtVerify`. Rejects with AppError `server_unreachable`, or JWKSNoMatchingKey of jose. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { keys, at } = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#now() - at < cooldownMs) throw error;
      // A new key: if it cannot be fetched, the token is not considered invalid.
      await this.#read();
      if (this.#lastError !== undefined) throw this.#lastError;
      return (await this.#current()).keys(header, token);
    }
  };

  async #current(): Promise<CachedKeys> {
    const ageMs = (): number => (this.#cached === undefined ? Infinity : this.#now() - this.#cached.at);
    if (ageMs() > refreshAfterMs) await this.#read();
    if (this.#cached === undefined || ageMs() > maxAgeMs)
      throw this.#lastError ?? this.#fetch.unavailable(new Error('its signing keys have expired'));
    return this.#cached;
  }

  /** Never rejects: `#away` holds the error. */
  #read(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    if (this.#now() - this.#triedAt < cooldownMs) return Promise.resolve();
    this.#triedAt = this.#now();
    this.#reading = this.#readNow().then(
      (keys) => {
        this.#cached = keys;
        this.#lastError = undefined;
      },
      (error: unknown) => {
        this.#lastError = error instanceof AppError ? error : this.#fetch.unavailable(error);
      },
    );
    return this.#reading.finally(() => {
      this.#reading = undefined;
    });
  }

  async #readNow(): Promise<CachedKeys> {
    const document = await this.#fetch.metadata();
    const address = document.address('jwks_uri');
    if (address === undefined) throw this.#fetch.unavailable(new Error('its metadata has no jwks_uri'));
    const { status, body } = await this.#fetch.ask(address);
    const said = isObject(body) ? body['keys'] : undefined;
    if (status !== 200 || !Array.isArray(said)) throw this.#fetch.unavailable(new Error('its JWKS cannot be parsed'));
    const keys = said.slice(0, maxKeys).filter((key): key is JWK => isObject(key) && key['kty'] !== 'oct');
    return { keys: createLocalJWKSet({ keys }), document, at: this.#now() };
  }
}
