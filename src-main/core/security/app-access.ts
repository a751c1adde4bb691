/**
 * Stores the access of each client app: when it was granted, when the app was last seen, whether the user revoked it,
 * and its own token for `/mcp/app/<app>`. The token in an app's config file opens that app's endpoint only.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { isSameToken } from '../base/core-proof.ts';
import { openFileRecordStore, type RecordStore, type OpenRecordStore } from './record-store.ts';

/** Times in ms since 1970. */
interface AppAccess {
  readonly app: string;
  /** Time of the installation; undefined if the user wrote the entry by hand. */
  readonly since: number | undefined;
  /** When it last connected or disconnected. */
  readonly seen: number | undefined;
  /** When the user revoked it; undefined if access is granted. */
  readonly revoked: number | undefined;
}

interface AccessChange {
  readonly app: string;
  readonly change: 'given' | 'revoked' | 'token changed' | 'forgotten';
}

interface GivenAccess {
  /** Undefined if no token was requested and the app had none. */
  readonly token: string | undefined;
  /** Restores the previous state. */
  readonly takeBack: () => Promise<void>;
}

interface StoredAccess {
  readonly token?: string | undefined;
  readonly since?: number | undefined;
  readonly seen?: number | undefined;
  readonly revoked?: number | undefined;
  /** When the user removed its entry; absent once it is connected again. */
  readonly disconnected?: number | undefined;
}

/**
 * Maximum number of apps that were only seen, because any program can call itself anything; the latest are retained.
 */
const maxOnlySeen = 100;

/** Opens a file that only the user can read. */
export function appAccessFile(file: string): OpenRecordStore {
  return openFileRecordStore(file, () => refusal(file));
}

/** Access of one user's client apps. */
export class AppAccessStore {
  /** Emits changes made by this process. */
  readonly changed = new Emitter<AccessChange>();
  readonly #stored: RecordStore<StoredAccess>;
  readonly #now: () => number;

  constructor(open: OpenRecordStore, now: () => number = Date.now) {
    this.#stored = open(readStored);
    this.#now = now;
  }

  /** Lists the entries without their tokens, and without disconnected apps that were not revoked. */
  list(): AppAccess[] {
    return [...this.#readAny()]
      .filter(([, { revoked, disconnected }]) => revoked !== undefined || disconnected === undefined)
      .map(([app, { since, seen, revoked }]) => ({ app, since, seen, revoked }));
  }

  /** Token of this app; undefined if it has none. */
  tokenOf(app: string): string | undefined {
    return this.#read().get(app)?.token;
  }

  /**
   * Returns whether the token is valid, even if revoked. The file is checked on each call, so that changes by another
   * process apply at once.
   */
  accepts(app: string, token: string): boolean {
    const current = this.tokenOf(app);
    return current !== undefined && isSameToken(current, token);
  }

  /** Even a file that other users can write can revoke access, which is safe. */
  isRevoked(app: string): boolean {
    return this.#readAny().get(app)?.revoked !== undefined;
  }

  /** Whether the user disconnected the app and has not connected it since. */
  isDisconnected(app: string): boolean {
    return this.#readAny().get(app)?.disconnected !== undefined;
  }

  /** Grants access; with `wantsToken` the app gets its own token, which is created if it has none. */
  async grant(app: string, wantsToken = false): Promise<GivenAccess> {
    const { isNew, ...given } = await this.#change((all) => {
      const before = all.get(app);
      const { revoked, disconnected, ...current } = before ?? {};
      const token = current.token ?? (wantsToken ? randomBytes(32).toString('base64url') : undefined);
      const since = revoked === undefined ? (current.since ?? this.#now()) : this.#now();
      all.set(app, { ...current, token, since });
      const isNew = current.since === undefined || (revoked ?? disconnected) !== undefined || current.token !== token;
      return { token, isNew, takeBack: () => this.#takeBack(app, before) };
    });
    if (isNew) this.changed.emit({ app, change: 'given' });
    return given;
  }

  /**
   * Revokes access. The token is retained, so that the app's config file is valid again when access is restored.
   * Returns whether access was granted before.
   */
  async revoke(app: string): Promise<boolean> {
    const wasInForce = await this.#change((all) => {
      const current = all.get(app) ?? {};
      if (current.revoked !== undefined) return false;
      all.set(app, { ...current, revoked: this.#now() });
      return true;
    });
    if (wasInForce) this.changed.emit({ app, change: 'revoked' });
    return wasInForce;
  }

  /** Records the token that the app's config file now holds; any other token becomes invalid. */
  async setToken(app: string, token: string | undefined): Promise<void> {
    await this.#change((all) => {
      const { token: _, ...current } = all.get(app) ?? {};
      put(all, app, token === undefined ? current : { ...current, token });
    });
    this.changed.emit({ app, change: 'token changed' });
  }

  /**
   * Removes the granted access of an app that the user disconnected, and when it was seen; a revocation stays. Until it
   * is connected again it has no access, because its program may still run and connect.
   */
  async disconnect(app: string): Promise<void> {
    await this.#change((all) => put(all, app, { revoked: all.get(app)?.revoked, disconnected: this.#now() }));
    this.changed.emit({ app, change: 'forgotten' });
  }

  /** `at` is when the app connected or disconnected. */
  async recordSeen(app: string, at: number): Promise<void> {
    await this.#change((all) => {
      all.set(app, { ...all.get(app), seen: at });
      const onlySeen = [...all].filter(([, one]) => Object.keys(one).every((key) => key === 'seen'));
      const oldestFirst = onlySeen.toSorted(([, a], [, b]) => (a.seen ?? 0) - (b.seen ?? 0));
      for (const [name] of oldestFirst.slice(0, -maxOnlySeen)) all.delete(name);
    }, true);
  }

  async #takeBack(app: string, before: StoredAccess | undefined): Promise<void> {
    await this.#change((all) => put(all, app, before));
    this.changed.emit({ app, change: 'forgotten' });
  }

  #change<T>(change: (all: Map<string, StoredAccess>) => T, isMinor = false): Promise<T> {
    return this.#stored.change(change, isMinor);
  }

  /** Ignores a file that other users can write. */
  #read(): ReadonlyMap<string, StoredAccess> {
    return this.#stored.read();
  }

  #readAny(): ReadonlyMap<string, StoredAccess> {
    return this.#stored.readAny();
  }
}

function put(all: Map<string, StoredAccess>, app: string, access: StoredAccess | undefined): void {
  if (access === undefined || Object.values(access).every((value) => value === undefined)) all.delete(app);
  else all.set(app, access);
}

function readStored({ token, since, seen, revoked, disconnected }: Record<string, unknown>): StoredAccess {
  return {
    ...(typeof token === 'string' && { token }),
    ...(typeof since === 'number' && { since }),
    ...(typeof seen === 'number' && { seen }),
    ...(typeof revoked === 'number' && { revoked }),
    ...(typeof disconnected === 'number' && { disconnected }),
  };
}

function refusal(file: string): AppError {
  return new AppError(
    'not_allowed',
    `The app access file ${file} is accessible to other users, so Tooltray does not trust it.`,
    { fix: 'Remove it, then connect the apps that use addresses again.' },
  );
}
