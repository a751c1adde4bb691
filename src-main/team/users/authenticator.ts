/**
 * Authenticates tokens against the database, with a short cache. Every replica is notified of changes, clears its
 * cache, and ends sessions that are no longer allowed: within a second or, if notifications are lost, at the next
 * check.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeSubject, grantOf, readOnlyProfile } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { FailedLoginLimiter } from './failed-login-limiter.ts';
import { everyone, type UserStore, usersTopic, type User } from './user-store.ts';
import { hashOf, isPersonToken, type AccessTokenStore } from './access-tokens.ts';

/** A user with access. */
export interface AuthenticatedUser {
  /** ID of the user. */
  readonly user: string;
  /** The token used (`Credential.token`). */
  readonly token: string;
  /** ID of the personal access token, if it is one. */
  readonly tokenId: string | undefined;
  /** Access from the user's groups, and the groups whose config layers apply. */
  readonly groupBounds: readonly string[];
  /** Profiles that restrict the token. */
  readonly ownBounds: readonly string[];
  /** Expiry in ms since 1970. */
  readonly until: number;
  /** When the issuer last signed the user out, in ms since 1970; absent for personal access tokens. */
  readonly signedOutAt?: number | undefined;
  /** Paths below `/mcp` for which it is valid, with everything below them; absent: all. */
  readonly paths?: readonly string[];
  /** The missing scope because of which `ownBounds` applies, if it can be requested. */
  readonly lacks?: string | undefined;
}

/** Reason for a failed authentication. */
export type AuthenticationFailure =
  | { readonly why: 'unknown' }
  | { readonly why: 'too often'; readonly seconds: number }
  /** Valid, but lacks scopes. */
  | { readonly why: 'scope'; readonly needed: string }
  /** An expired token of the issuer: the client may have a newer one. */
  | { readonly why: 'over' }
  /** The user is suspended, or was never added. */
  | { readonly why: 'off' | 'stranger' };

export type AuthenticationResult = AuthenticatedUser | AuthenticationFailure;

/** Tokens of an issuer. */
interface IssuedGate {
  isNamedIn(token: string): boolean;
  judge(token: string): Promise<AuthenticationResult>;
}

interface AuthenticatorDeps {
  readonly people: UserStore;
  readonly tokens: AccessTokenStore;
  /**
   * Authenticates tokens of the issuer, if there is one. Rejects with AppError `server_unreachable`,
   * `store_unreachable`.
   */
  readonly issued?: IssuedGate | undefined;
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly failures: FailedLoginLimiter;
  /** Users authenticate through the issuer only; personal access tokens are valid for service accounts only. */
  readonly isSsoOnly?: boolean | undefined;
  readonly log: Log;
  readonly now?: () => number;
}

interface CachedResult {
  readonly judged: AuthenticationResult;
  readonly until: number;
  /** Used until then if it cannot be looked up again. */
  readonly staleUntil: number;
}

/** Lifetime of cached lookups in ms, including unknown tokens. */
const successCacheMs = 30_000;
/** Lifetime of cached successes in ms while the database is unreachable; an outage revokes nothing. */
const staleCacheMs = 60_000;
/** How long a known user waits for a database that does not respond, in ms. */
const staleAfterMs = 1_000;
/** Lifetime of cached lookups of unknown issuer tokens in ms, because the issuer may have a new key. */
const unknownIssuedMs = 5_000;
/** Maximum attempts of a lookup while users change. */
const maxAttempts = 3;
const maxCachedSuccesses = 10_000;
const maxCachedFailures = 1_000;
/** Interval of checking open sessions and recording use, in ms. */
const pollIntervalMs = 15_000;
const noteMs = 60_000;
/** Maximum token length; an issuer's token may list many groups. */
const maxTokenLength = 12_288;

export class Authenticator {
  readonly #parts: AuthenticatorDeps;
  readonly #now: () => number;
  /** Cached lookups by token hash, least recently used first. Expired ones are looked up again. */
  readonly #known = new Map<string, CachedResult>();
  readonly #unknown = new Map<string, CachedResult>();
  readonly #used = new Set<string>();
  readonly #noting: NodeJS.Timeout;
  readonly #stop: () => void;
  readonly #looks = new Set<(user?: string) => void>();
  /** Counts changes, so that older lookups are not cached. */
  #version = 0;

  constructor(parts: AuthenticatorDeps) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#stop = parts.changes.changed.on(({ topic, user }) => {
      if (topic === usersTopic) this.#forget(user);
    });
    this.#noting = setInterval(() => void this.#note(), noteMs).unref();
  }

  /**
   * `address`: the client's address. Rejects with AppError `store_unreachable`, or `server_unreachable` for the
   * issuer.
   */
  async authenticate(token: string, address: string): Promise<AuthenticationResult> {
    if (token.length > maxTokenLength) return this.#failed(address);
    const key = hashOf(token).toString('base64url');
    const cached = this.#known.get(key) ?? this.#unknown.get(key);
    if (cached !== undefined && this.#now() < cached.until) return this.#onNotified(key, token, cached.judged, address);
    // Known tokens are not delayed by failed attempts from the same address.
    const seconds = this.#known.has(key) || this.#isIssued(token) ? 0 : this.#parts.failures.waitSeconds(address);
    if (seconds > 0) return { why: 'too often', seconds };
    return this.#onNotified(key, token, await this.#lookUpOrStale(key, token), address);
  }

  async #lookUpOrStale(key: string, token: string): Promise<AuthenticationResult> {
    const { judged, staleUntil } = this.#known.get(key) ?? { staleUntil: 0 };
    const fresh = this.#lookUp(key, token);
    if (judged === undefined || this.#now() >= staleUntil) return fresh;
    return Promise.race([fresh.catch(() => judged), sleep(staleAfterMs, judged, { ref: false })]);
  }

  /** See `TeamHttpOptions.follow`. */
  onRevoked(open: () => ReadonlySet<string>, end: (isOver: (token: string) => boolean) => void): () => void {
    const look = (user?: string): void =>
      void this.#overIn([...open()].filter((text) => user === undefined || readMark(text).user === user)).then(
        (over) => over.size > 0 && end((token) => over.has(token)),
        (error: unknown) => this.#parts.log.warn(`Could not verify tokens: ${errorText(error)}`),
      );
    const timer = setInterval(() => look(), pollIntervalMs).unref();
    this.#looks.add(look);
    return () => {
      clearInterval(timer);
      this.#looks.delete(look);
    };
  }

  async close(): Promise<void> {
    this.#stop();
    clearInterval(this.#noting);
    await this.#note();
  }

  async #lookUp(key: string, token: string): Promise<AuthenticationResult> {
    for (let attempt = 1; ; attempt++) {
      const version = this.#version;
      const judged = await this.#ask(token);
      // Users changed meanwhile, so the lookup is repeated, or used once without being cached.
      if (version !== this.#version) {
        if (attempt < maxAttempts) continue;
        return judged;
      }
      this.#known.delete(key);
      const [store, most] = 'user' in judged ? [this.#known, maxCachedSuccesses] : [this.#unknown, maxCachedFailures];
      const end = 'user' in judged ? judged.until : Infinity;
      const retainMs = !('user' in judged) && this.#isIssued(token) ? unknownIssuedMs : successCacheMs;
      const now = this.#now();
      store.set(key, { judged, until: Math.min(now + retainMs, end), staleUntil: Math.min(now + staleCacheMs, end) });
      const [oldest] = store.keys();
      if (store.size > most && oldest !== undefined) store.delete(oldest);
      return judged;
    }
  }

  async #ask(token: string): Promise<AuthenticationResult> {
    const { tokens, people, issued, isSsoOnly = false } = this.#parts;
    if (!isPersonToken(token)) return (await issued?.judge(token)) ?? unknown;
    const found = await tokens.authenticate(token);
    if (found === undefined || (isSsoOnly && !found.isService)) return unknown;
    const { user, token: tokenId, profile, readOnly, expiresAt } = found;
    return {
      user,
      token: tokenId,
      tokenId,
      ownBounds: [...(profile === null ? [] : [profile]), ...(readOnly ? [readOnlyProfile] : [])],
      groupBounds: tokenProfilesOf(found, await people.grants()),
      until: expiresAt.getTime(),
    };
  }

  /**
   * Issuer tokens cannot be guessed, and use the database only if their signature is valid; every app has a new one
   * every few minutes, and many apps may share an address.
   */
  #isIssued(token: string): boolean {
    return !isPersonToken(token) && this.#parts.issued?.isNamedIn(token) === true;
  }

  #onNotified(key: string, token: string, judged: AuthenticationResult, address: string): AuthenticationResult {
    if (!('user' in judged)) return judged.why === 'unknown' && !this.#isIssued(token) ? this.#failed(address) : judged;
    if (judged.tokenId !== undefined) this.#used.add(judged.tokenId);
    const cached = this.#known.get(key);
    this.#known.delete(key);
    if (cached !== undefined) this.#known.set(key, cached);
    return judged;
  }

  #failed(address: string): AuthenticationFailure {
    const seconds = this.#parts.failures.waitSeconds(address);
    if (seconds > 0) return { why: 'too often', seconds };
    this.#parts.failures.failed(address);
    return unknown;
  }

  /** `user`: only this user changed. */
  #forget(user: string | undefined): void {
    this.#version++;
    for (const [key, { judged }] of this.#known)
      if (user === undefined || ('user' in judged && judged.user === user))
        this.#known.set(key, { judged, until: 0, staleUntil: 0 });
    // A new user may have been refused before.
    this.#unknown.clear();
    for (const look of this.#looks) look(user);
  }

  async #overIn(open: readonly string[]): Promise<ReadonlySet<string>> {
    if (open.length === 0) return new Set();
    const { people, tokens } = this.#parts;
    const all = open.map((text) => [text, readMark(text)] as const);
    const [users, groups, inForce] = await Promise.all([
      people.byId(all.map(([, { user }]) => user)),
      people.grants(),
      tokens.active(all.flatMap(([, { tokenId }]) => tokenId ?? [])),
    ]);
    const isOver = ({ user: id, tokenId, groupBounds, signedOutAt = 0 }: Mark): boolean => {
      const user = users.get(id);
      if (user === undefined || user.isSuspended || (tokenId !== undefined && !inForce.has(tokenId))) return true;
      if (tokenId === undefined && signedOutAt !== (user.signedOutAt?.getTime() ?? 0)) return true;
      return groupBounds.join('\n') !== tokenProfilesOf(user, groups).join('\n');
    };
    return new Set(all.flatMap(([text, mark]) => (isOver(mark) ? text : [])));
  }

  async #note(): Promise<void> {
    const used = [...this.#used];
    this.#used.clear();
    if (used.length === 0) return;
    await this.#parts.tokens.used(used).catch((error: unknown) => this.#parts.log.debug(errorText(error)));
  }
}

const unknown: AuthenticationFailure = { why: 'unknown' };

/** Fields that must stay unchanged for an open session to continue (`SessionPlace.token`). */
type Mark = Pick<AuthenticatedUser, 'user' | 'tokenId' | 'groupBounds' | 'signedOutAt'>;

export function tokenDigest({ user, tokenId, groupBounds, signedOutAt = 0 }: Mark): string {
  return JSON.stringify([user, tokenId ?? '', groupBounds, signedOutAt]);
}

function readMark(text: string): Mark {
  const [user, tokenId, groupBounds, signedOutAt] = JSON.parse(text) as [string, string, string[], number];
  return { user, tokenId: tokenId === '' ? undefined : tokenId, groupBounds, signedOutAt };
}

/** Access from all of the user's groups, including `everyone`, and the groups whose config layers apply. */
export function tokenProfilesOf(
  { name, groups }: Pick<User, 'name' | 'groups'>,
  grants: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const own = encodeSubject({ name, groups: [...new Set(groups)].sort() });
  return [own, grantOf([everyone, ...groups].flatMap((group) => grants.get(group) ?? []))];
}
