/** An issuer's public keys, kept for a while and read anew where one is not among them: never more often than now and then, whoever asks. */
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { AppError } from '../../core/base/errors.ts';
import { isObject } from '../../core/base/json.ts';
import type { IssuerDocument, IssuerFetch } from './issuer-document.ts';

/** Read anew after so long, in ms. */
const freshMs = 5 * 60_000;
/** Where the issuer is away they hold so long, in ms: a key that it takes back should not open anything for days. */
const oldestMs = 12 * 60 * 60_000;
/** Between two readings, in ms. */
const cooldownMs = 5_000;
const mostKeys = 100;

interface Kept {
  readonly keys: LocalJWKSet;
  readonly document: IssuerDocument;
  /** When they were read. */
  readonly at: number;
}

export class IssuerKeys {
  readonly #fetch: IssuerFetch;
  readonly #now: () => number;
  #kept: Kept | undefined;
  #triedAt = -Infinity;
  #away: AppError | undefined;
  #reading: Promise<void> | undefined;

  constructor(fetch: IssuerFetch, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** What the issuer says of itself. Rejects with AppError server_unreachable. */
  async document(): Promise<IssuerDocument> {
    return (await this.#current()).document;
  }

  /** As `jwtVerify` asks. Rejects with AppError server_unreachable, or JWKSNoMatchingKey of jose. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const { keys, at } = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#now() - at < cooldownMs) throw error;
      // One that is new there: what cannot be asked now is not known to be wrong.
      await this.#read();
      if (this.#away !== undefined) throw this.#away;
      return (await this.#current()).keys(header, token);
    }
  };

  async #current(): Promise<Kept> {
    const ageMs = (): number => (this.#kept === undefined ? Infinity : this.#now() - this.#kept.at);
    if (ageMs() > freshMs) await this.#read();
    if (this.#kept === undefined || ageMs() > oldestMs)
      throw this.#away ?? this.#fetch.away(new Error('its keys are too old'));
    return this.#kept;
  }

  /** Never rejects: `#away` says why it came to nothing. */
  #read(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    if (this.#now() - this.#triedAt < cooldownMs) return Promise.resolve();
    this.#triedAt = this.#now();
    this.#reading = this.#readNow().then(
      (kept) => {
        this.#kept = kept;
        this.#away = undefined;
      },
      (error: unknown) => {
        this.#away = error instanceof AppError ? error : this.#fetch.away(error);
      },
    );
    return this.#reading.finally(() => {
      this.#reading = undefined;
    });
  }

  async #readNow(): Promise<Kept> {
    const document = await this.#fetch.metadata();
    const address = document.address('jwks_uri');
    if (address === undefined) throw this.#fetch.away(new Error('its metadata names no place of its keys'));
    const { status, body } = await this.#fetch.ask(address);
    const said = isObject(body) ? body['keys'] : undefined;
    if (status !== 200 || !Array.isArray(said)) throw this.#fetch.away(new Error('its keys cannot be read'));
    const keys = said.slice(0, mostKeys).filter((key): key is JWK => isObject(key) && key['kty'] !== 'oct');
    return { keys: createLocalJWKSet({ keys }), document, at: this.#now() };
  }
}
