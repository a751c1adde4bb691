/**
 * Tokens that grant access to one profile's endpoint until a date: created and revoked by the user, stored as hashes.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { isSameToken } from '../base/core-proof.ts';
import { openFileRecordStore, type RecordStore, type OpenRecordStore } from '../security/record-store.ts';

/** Times in ms since 1970. */
export interface ProfileToken {
  readonly id: string;
  readonly profile: string;
  readonly since: number;
  /** Invalid from then on. */
  readonly expiresAt: number;
  /** When the user revoked it; undefined if not revoked. */
  readonly revoked: number | undefined;
}

interface TokenChange {
  readonly change: 'given' | 'revoked';
  readonly token: ProfileToken;
}

type StoredToken = Omit<ProfileToken, 'id'> & {
  /** SHA-256 of the whole token, from which its 32 random bytes cannot be guessed. */ readonly hash: string;
};

/** The token contains its id, so that only one hash has to be compared. */
const shape = /^tooltray_([0-9a-f]{12})_[\w-]{43}$/;
const maxActiveTokens = 100;
/** Maximum number of ended tokens, retained to explain why; the oldest are evicted first. */
const maxExpiredTokens = 100;
const maxLifetimeMs = 366 * 24 * 60 * 60_000;

/** Opens the profile tokens of a home. */
export function openProfileTokens(dataDir: string): ProfileTokenStore {
  return new ProfileTokenStore(profileTokensFile(dataDir));
}

export function profileTokensFile(dataDir: string): OpenRecordStore {
  const file = join(dataDir, 'profile-tokens.json');
  return openFileRecordStore(file, () => refusal(file));
}

export class ProfileTokenStore {
  /** Emits changes made by this process. */
  readonly changed = new Emitter<TokenChange>();
  readonly #stored: RecordStore<StoredToken>;
  readonly #now: () => number;

  constructor(open: OpenRecordStore, now: () => number = Date.now) {
    this.#stored = open(readStored);
    this.#now = now;
  }

  /** Without the hashes; oldest first. */
  list(): ProfileToken[] {
    return [...this.#stored.readAny()].map(([id, stored]) => shown(id, stored)).sort((a, b) => a.since - b.since);
  }

  /**
   * `expiresAt`: within a year. Only this call returns the token itself. Rejects with AppError
   * `bad_request` for another time, `not_allowed` if there are too many.
   */
  async issue(profile: string, expiresAt: number): Promise<ProfileToken & { readonly token: string }> {
    const id = randomBytes(6).toString('hex');
    const token = `tooltray_${id}_${randomBytes(32).toString('base64url')}`;
    const since = this.#now();
    if (!(expiresAt > since && expiresAt - since <= maxLifetimeMs)) throw badEnd();
    const stored: StoredToken = { profile, since, expiresAt, revoked: undefined, hash: hashOf(token) };
    await this.#stored.change((all) => {
      const ended = [...all].filter(([, one]) => !this.#isInForce(one));
      if (all.size - ended.length >= maxActiveTokens) throw tooMany();
      for (const [old] of ended.toSorted(([, a], [, b]) => a.since - b.since).slice(0, -maxExpiredTokens))
        all.delete(old);
      all.set(id, stored);
    });
    this.changed.emit({ change: 'given', token: shown(id, stored) });
    return { ...shown(id, stored), token };
  }

  /** Returns the token, and whether it was in force. Rejects with AppError `not_found`. */
  async revoke(id: string): Promise<ProfileToken & { readonly wasInForce: boolean }> {
    const revoked = await this.#stored.change((all) => {
      const stored = all.get(id);
      if (stored === undefined) throw unknown(id);
      const wasInForce = this.#isInForce(stored);
      const next = wasInForce ? { ...stored, revoked: this.#now() } : stored;
      all.set(id, next);
      return { ...shown(id, next), wasInForce };
    });
    const { wasInForce, ...token } = revoked;
    if (wasInForce) this.changed.emit({ change: 'revoked', token });
    return revoked;
  }

  /**
   * Verifies a token for this profile: undefined if unknown, an AppError with the reason if it has ended, otherwise
   * the token. Throws AppError `not_allowed` if other users can access the file.
   */
  verify(profile: string, given: string): ProfileToken | AppError | undefined {
    const id = shape.exec(given)?.[1] ?? '';
    const stored = this.#stored.read().get(id);
    // A token of another profile is treated as unknown, so that its existence is not revealed.
    if (stored?.profile !== profile || !isSameToken(stored.hash, hashOf(given))) return undefined;
    return this.#isInForce(stored) ? shown(id, stored) : ended(stored);
  }

  /** When the next token expires; undefined: none does. */
  get nextExpiry(): number | undefined {
    const expiries = [...this.#stored.readAny().values()]
      .filter((one) => this.#isInForce(one))
      .map((one) => one.expiresAt);
    return expiries.length === 0 ? undefined : Math.min(...expiries);
  }

  /** Whether the token is valid now. Even a file that others can write can still revoke it. */
  isActive(id: string): boolean {
    const stored = this.#stored.readAny().get(id);
    return stored !== undefined && this.#isInForce(stored);
  }

  #isInForce({ revoked, expiresAt }: Pick<ProfileToken, 'revoked' | 'expiresAt'>): boolean {
    return revoked === undefined && this.#now() < expiresAt;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function shown(id: string, { profile, since, expiresAt, revoked }: StoredToken): ProfileToken {
  return { id, profile, since, expiresAt, revoked };
}

function readStored({ profile, since, expiresAt, revoked, hash }: Record<string, unknown>): StoredToken | undefined {
  if (
    typeof profile !== 'string' ||
    typeof since !== 'number' ||
    typeof expiresAt !== 'number' ||
    typeof hash !== 'string'
  )
    return undefined;
  return { profile, since, expiresAt, hash, revoked: typeof revoked === 'number' ? revoked : undefined };
}

function ended({ profile, expiresAt, revoked }: StoredToken): AppError {
  const [how, at] = revoked === undefined ? ['has expired', expiresAt] : ['was revoked', revoked];
  const day = new Date(at).toISOString().slice(0, 10);
  return new AppError('not_allowed', `This token of the profile ${profile} ${how} (${day}).`, {
    fix: `The user can create a new one: tooltray profile token create ${profile}.`,
  });
}

function badEnd(): AppError {
  return new AppError('bad_request', 'A token must expire in the future, within one year.', {
    fix: 'Use a duration (30d, 12h) or a date.',
  });
}

function tooMany(): AppError {
  return new AppError('not_allowed', `${maxActiveTokens} profile tokens are active, which is the limit.`, {
    fix: 'Revoke one: tooltray profile token revoke ID. `tooltray profile token list` shows them.',
  });
}

function unknown(id: string): AppError {
  return new AppError('not_found', `No token with the ID ${JSON.stringify(id)}.`, {
    fix: '`tooltray profile token list` shows them.',
  });
}

function refusal(file: string): AppError {
  return new AppError(
    'not_allowed',
    `The profile token file ${file} is accessible to other users, so Tooltray does not trust it.`,
    { fix: 'Remove it, then create new tokens: tooltray profile token create NAME.' },
  );
}
