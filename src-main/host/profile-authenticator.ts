/** Authenticates HTTP requests by profile tokens, and ends what is open when a token ends. */
import { AppError, errorText } from '../core/base/errors.ts';
import type { Log } from '../core/base/log.ts';
import type { ProfileTokenStore } from '../core/profiles/profile-tokens.ts';

/**
 * A token that another process took back ends what it has open at the latest after this, in ms; one that runs out does
 * it at once.
 */
const pollIntervalMs = 15_000;
/** One that continues asking is noted once in this time, in ms. */
const noteEveryMs = 60_000;
const maxRemembered = 200;

export class ProfileAuthenticator {
  readonly #tokens: ProfileTokenStore;
  readonly #log: Log;
  readonly #onRefused: (error: AppError) => void;
  readonly #refused = new Map<string, number>();

  /** `onRefused`: once a minute for one and the same reason at the most. */
  constructor(tokens: ProfileTokenStore, log: Log, onRefused: (error: AppError) => void) {
    this.#tokens = tokens;
    this.#log = log;
    this.#onRefused = onRefused;
  }

  /** The id of a token that opens the profile, or why it does not. A broken file opens no door. */
  authenticate(profile: string, given: string): string | AppError {
    const judged = this.#judged(profile, given);
    if (judged instanceof AppError) this.#note(judged);
    return judged;
  }

  /** Tells when something may be over; returns how to stop. */
  onRevoked(end: (isOver: (id: string) => boolean) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      clearTimeout(timer);
      end((id) => !this.#tokens.isActive(id));
      const untilNext = (this.#tokens.nextExpiry ?? Infinity) - Date.now();
      timer = setTimeout(look, Math.max(1, Math.min(pollIntervalMs, untilNext))).unref();
    };
    look();
    const ignore = this.#tokens.changed.on(look);
    return () => {
      clearTimeout(timer);
      ignore();
    };
  }

  #judged(profile: string, given: string): string | AppError {
    try {
      const judged = this.#tokens.verify(profile, given);
      return judged instanceof AppError ? judged : (judged?.id ?? unknown());
    } catch (error) {
      this.#log.warn(errorText(error));
      return unknown();
    }
  }

  #note(error: AppError): void {
    const now = Date.now();
    if (now - (this.#refused.get(error.text) ?? 0) < noteEveryMs) return;
    if (this.#refused.size >= maxRemembered) this.#refused.clear();
    this.#refused.set(error.text, now);
    this.#onRefused(error);
  }
}

/** The same wherever it is shown: nobody learns by it which profiles and tokens there are. */
function unknown(): AppError {
  return new AppError('not_allowed', 'This token is not valid for this URL.', {
    fix: 'The person gives one with: tooltray profile token create NAME.',
  });
}
