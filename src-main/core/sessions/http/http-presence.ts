/** Detects whether an app over HTTP is still present, because apps disconnect silently. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Emitter } from '../../base/emitter.ts';
import type { Presence } from '../../wire/transport.ts';

/** Silence without an open stream after which an app counts as gone, in ms. */
const presenceTimeoutMs = 5 * 60_000;
/** The same for an app whose stream ended, which usually means that its process ended. */
const streamGraceMs = 5_000;

/** Detects presence from the app's open requests and the time it was last active: HTTP offers nothing else. */
export class HttpPresence implements Presence {
  readonly changed = new Emitter();
  seenAt = Date.now();
  #open = 0;
  #hadStream = false;
  #timer: NodeJS.Timeout | undefined;

  get isHere(): boolean {
    return this.#open > 0 || Date.now() - this.seenAt < this.#graceMs;
  }

  /** Time since the last request or stream ended, in ms. */
  get silentMs(): number {
    return this.#open > 0 ? 0 : Date.now() - this.seenAt;
  }

  /** Follows a request of the app; a GET is a persistent stream, unless it resumes the stream of a call. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    const wasHere = this.isHere;
    const last = request.headers['last-event-id'];
    const isStream = request.method === 'GET' && (last === undefined || last === '');
    // A client that sends requests without a stream continues without one.
    if (isStream || this.#open === 0) this.#hadStream = isStream;
    this.#open++;
    this.seenAt = Date.now();
    response.once('close', () => {
      this.seenAt = Date.now();
      if (--this.#open === 0) this.#checkLater();
    });
    if (!wasHere) this.changed.emit();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** One timer for many requests; it restarts if there was a request meanwhile. */
  #checkLater(): void {
    if (this.#timer !== undefined && !this.#hadStream) return;
    clearTimeout(this.#timer);
    const wait = (ms: number): void => {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        if (this.isHere) wait(Math.max(1, this.seenAt + this.#graceMs - Date.now()));
        else this.changed.emit();
      }, ms).unref();
    };
    wait(this.#graceMs);
  }

  get #graceMs(): number {
    return this.#hadStream ? streamGraceMs : presenceTimeoutMs;
  }
}
