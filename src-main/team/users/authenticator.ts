/**
 * Authenticates tokens against the database, with a short cache. Every replica is notified of changes, drops its cache
 * and ends what is no longer allowed: within a second or, if the database's notices are lost, at the next check.
 */
import { encodeSubject, grantOf, readOnlyProfile } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { FailedLoginLimiter } from './failed-login-limiter.ts';
import { everyone, type UserStore, usersTopic, type User } from './user-store.ts';
import { hashOf, isPersonToken, type AccessTokenStore } from './access-tokens.ts';

/** A user with access. */
export interface AuthenticatedUser {
  /** Id of the user. */
  readonly user: string;
  /** The token used (`Credential.token`). */
  readonly token: string;
  /** The personal token, where it is one. */
  readonly tokenId: string | undefined;
  /** Access from their groups, and the groups whose config layers apply. */
  readonly groupBounds: readonly string[];
  /** Profiles that the token is bounded by. */
  readonly ownBounds: readonly string[];
  /** ms since 1970: from then on it opens nothing. */
  readonly until: number;
  /** The addresses that it opens, below `/mcp`, with all below them; absent: all there are. */
  readonly paths?: readonly string[];
  /** The right for want of which it is bounded by `ownBounds`, where it is one that can be asked for. */
  readonly lacks?: string | undefined;
}

/** Why not. */
export type AuthenticationFailure =
  | { readonly why: 'unknown' }
  | { readonly why: 'too often'; readonly seconds: number }
  /** It is theirs, and lacks rights. */
  | { readonly why: 'scope'; readonly needed: string }
  /** The issuer gave it, and it has run out: the next one may open something. */
  | { readonly why: 'over' }
  /** It is somebody's who is switched off here, or whom nobody has let in. */
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
   * Authenticates tokens of the issuer, if there is one. Rejects with AppError `server_unreachable`, store_unreachable.
   */
  readonly issued?: IssuedGate | undefined;
  readonly changes: Pick<ChangeFeed, 'changed'>;
  readonly failures: FailedLoginLimiter;
  /** Users come in by the issuer alone; personal tokens open something for service accounts only. */
  readonly isSsoOnly?: boolean | undefined;
  readonly log: Log;
  readonly now?: () => number;
}

interface CachedResult {
  readonly judged: AuthenticationResult;
  readonly until: number;
}

/** Lifetime of a cached lookup, in ms, of unknown tokens too. */
const successCacheMs = 30_000;
/** Cache lifetime of an unknown token of the issuer, which may have a new key. */
const unknownIssuedMs = 5_000;
/** Maximum attempts of a lookup while users change. */
const maxAttempts = 3;
const maxCachedSuccesses = 10_000;
const maxCachedFailures = 1_000;
/** Between two looks at what is open, and notes of what was used, in ms. */
const pollIntervalMs = 15_000;
const noteMs = 60_000;
/** Longer ones are nobody's; those of an issuer may name many groups. */
const maxTokenLength = 12_288;

export class Authenticator {
  readonly #parts: AuthenticatorDeps;
  readonly #now: () => number;
  /** Cached lookups by token hash, most recently used last. Expired ones are looked up again. */
  readonly #known = new Map<string, CachedResult>();
  readonly #unknown = new Map<string, CachedResult>();
  readonly #used = new Set<string>();
  readonly #noting: NodeJS.Timeout;
  readonly #stop: () => void;
  readonly #looks = new Set<(user?: string) => void>();
  /** Counts what changed, so that what was read before is not kept. */
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
   * `address`: where it comes from. Rejects with AppError `store_unreachable`, or `server_unreachable` for the issuer.
   */
  async authenticate(token: string, address: string): Promise<AuthenticationResult> {
    if (token.length > maxTokenLength) return this.#failed(address);
    const key = hashOf(token).toString('base64url');
    const cached = this.#known.get(key) ?? this.#unknown.get(key);
    if (cached !== undefined && this.#now() < cached.until) return this.#onNotified(key, token, cached.judged, address);
    // Who was let in before is looked up all the same: they are not to wait for others who guess behind the same
    // address.
    const seconds = this.#known.has(key) || this.#isIssued(token) ? 0 : this.#parts.failures.waitSeconds(address);
    if (seconds > 0) return { why: 'too often', seconds };
    return this.#onNotified(key, token, await this.#lookUp(key, token), address);
  }

  /** See `TeamDoor.follow`. */
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
      // Something changed meanwhile, so what was read may be from before: it is read again, or counts this once.
      if (version !== this.#version) {
        if (attempt < maxAttempts) continue;
        return judged;
      }
      this.#known.delete(key);
      const [store, most] = 'user' in judged ? [this.#known, maxCachedSuccesses] : [this.#unknown, maxCachedFailures];
      const end = 'user' in judged ? judged.until : Infinity;
      const retainMs = !('user' in judged) && this.#isIssued(token) ? unknownIssuedMs : successCacheMs;
      store.set(key, { judged, until: Math.min(this.#now() + retainMs, end) });
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
   * They are not to be guessed, and cost the database nothing until their signature holds; every app has another one in
   * a few minutes, and many of them may stand behind one address.
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

  /** `user`: nobody else changed. */
  #forget(user: string | undefined): void {
    this.#version++;
    for (const [key, { judged }] of this.#known)
      if (user === undefined || ('user' in judged && judged.user === user)) this.#known.set(key, { judged, until: 0 });
    // Whoever was added may have been refused before.
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
    const isOver = ({ user: id, tokenId, groupBounds }: Mark): boolean => {
      const user = users.get(id);
      if (user === undefined || user.isSuspended || (tokenId !== undefined && !inForce.has(tokenId))) return true;
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

/** Fields that must stay unchanged for an open session to go on (`SessionPlace.token`). */
type Mark = Pick<AuthenticatedUser, 'user' | 'tokenId' | 'groupBounds'>;

export function tokenDigest({ user, tokenId, groupBounds }: Mark): string {
  return JSON.stringify([user, tokenId ?? '', groupBounds]);
}

function readMark(text: string): Mark {
  const [user, tokenId, groupBounds] = JSON.parse(text) as [string, string, string[]];
  return { user, tokenId: tokenId === '' ? undefined : tokenId, groupBounds };
}

/** Access from all of their groups, `everyone` among them; and the groups whose config layers apply. */
export function tokenProfilesOf(
  { name, groups }: Pick<User, 'name' | 'groups'>,
  grants: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const own = encodeSubject({ name, groups: [...new Set(groups)].sort() });
  return [own, grantOf([everyone, ...groups].flatMap((group) => grants.get(group) ?? []))];
}
