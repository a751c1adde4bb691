/**
 * Authenticates client apps at the core's listeners: each with its own access, which ends immediately when the user
 * revokes it.
 */
import { type AppError, errorText } from '../core/base/errors.ts';
import type { Log } from '../core/base/log.ts';
import { accessRefusal } from '../core/client-apps/app-access-service.ts';
import type { AppAccessStore } from '../core/security/app-access.ts';

type End = (why: AppError) => unknown;

/** Minimum interval between writes of an app's last use, in ms. */
const writeIntervalMs = 60_000;
/** Longer names are not stored. */
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

  /** `onRefused`: called at most once a minute per app. */
  constructor(store: AppAccessStore, log: Log, onRefused: (app: string, error: AppError) => void) {
    this.#store = store;
    this.#log = log;
    this.#onRefused = onRefused;
  }

  /** Whether the token is this app's. Returns false if the file is damaged. */
  accepts(app: string, token: string): boolean {
    try {
      return this.#store.accepts(app, token);
    } catch (error) {
      this.#log.warn(errorText(error));
      return false;
    }
  }

  /**
   * Throws AppError `not_allowed` if the app's access was revoked, or if the app was disconnected; a connection without
   * an app name is the user's.
   */
  admit(app: string | undefined): void {
    if (app === undefined) return;
    const error = accessRefusal(this.#store, app);
    if (error !== undefined) {
      if (this.#isDue(this.#refused, app)) this.#onRefused(app, error);
      throw error;
    }
    this.#note(app);
  }

  /**
   * Tracks an authenticated connection until the returned function is called; ends it if access was revoked meanwhile.
   */
  track(app: string, end: End): () => void {
    const lines = this.#connections.get(app) ?? new Set();
    this.#connections.set(app, lines.add(end));
    const refusal = accessRefusal(this.#store, app);
    if (refusal !== undefined) end(refusal);
    return () => {
      this.#note(app);
      lines.delete(end);
      if (lines.size === 0 && this.#connections.get(app) === lines) this.#connections.delete(app);
    };
  }

  /** Ends every connection of the app without updating its last use. Resolves when earlier updates are written. */
  async closeSessions(app: string, why: AppError): Promise<void> {
    this.#noted.set(app, Date.now());
    for (const end of [...(this.#connections.get(app) ?? [])]) end(why);
    await this.#writing;
  }

  /** Resolves when everything is written. */
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
