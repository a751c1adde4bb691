/**
 * Authenticates client apps at the core's listeners: each by its own access, which ends at once when the user revokes
 * it.
 */
import { type AppError, errorText } from '../core/base/errors.ts';
import type { Log } from '../core/base/log.ts';
import { accessRevokedError } from '../core/client-apps/app-access-service.ts';
import type { AppAccessStore } from '../core/security/app-access.ts';

type End = (why: AppError) => unknown;

/** Minimum interval between writes of an app's last use, in ms. */
const writeIntervalMs = 60_000;
/** Nobody's app is called longer; what is longer is not written down. */
const maxNameLength = 100;
const maxRemembered = 1000;

export class AppAccessControl {
  readonly #store: AppAccessStore;
  readonly #log: Log;
  readonly #connections = new Map<string, Set<End>>();
  readonly #onRefused: (app: string, error: AppError) => void;
  readonly #noted = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `onRefused`: once a minute for an app at the most. */
  constructor(store: AppAccessStore, log: Log, onRefused: (app: string, error: AppError) => void) {
    this.#store = store;
    this.#log = log;
    this.#onRefused = onRefused;
  }

  /**
   * Whether the token is this app's. A broken file opens no door, and is no reason to answer anything else than that.
   */
  accepts(app: string, token: string): boolean {
    try {
      return this.#store.accepts(app, token);
    } catch (error) {
      this.#log.warn(errorText(error));
      return false;
    }
  }

  /** Throws AppError `not_allowed` where the app's access was revoked; who names no app comes in as the user. */
  admit(app: string | undefined): void {
    if (app === undefined) return;
    if (this.#store.isRevoked(app)) {
      const error = accessRevokedError(app);
      if (this.#isDue(this.#refused, app)) this.#onRefused(app, error);
      throw error;
    }
    this.#note(app);
  }

  /**
   * Keeps a line that was let in, until the returned function says that it has ended; ends it where that was too late.
   */
  track(app: string, end: End): () => void {
    const lines = this.#connections.get(app) ?? new Set();
    this.#connections.set(app, lines.add(end));
    if (this.#store.isRevoked(app)) end(accessRevokedError(app));
    return () => {
      this.#note(app);
      lines.delete(end);
      if (lines.size === 0 && this.#connections.get(app) === lines) this.#connections.delete(app);
    };
  }

  /**
   * Ends every line of the app, without a note that it was seen just now. Resolves when what was noted before is
   * written.
   */
  async closeSessions(app: string, why: AppError): Promise<void> {
    this.#noted.set(app, Date.now());
    for (const end of [...(this.#connections.get(app) ?? [])]) end(why);
    await this.#writing;
  }

  /** Resolves when nothing is left to be written. */
  async stop(): Promise<void> {
    for (const app of this.#connections.keys()) this.#note(app);
    this.#isStopped = true;
    await this.#writing;
  }

  #isDue(noted: Map<string, number>, app: string): boolean {
    const now = Date.now();
    if (now - (noted.get(app) ?? 0) < writeIntervalMs) return false;
    if (noted.size >= maxRemembered) noted.clear();
    noted.set(app, now);
    return true;
  }

  #note(app: string): void {
    if (this.#isStopped || app.length > maxNameLength || !this.#isDue(this.#noted, app)) return;
    const now = Date.now();
    this.#writing = this.#writing
      .then(() => this.#store.recordSeen(app, now))
      .catch((error: unknown) => this.#log.debug(errorText(error)));
  }
}
