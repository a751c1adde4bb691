/** Authenticates HTTP requests by profile tokens, and ends open sessions when a token ends. */
import { AppError, errorText } from '../core/base/errors.ts';
import type { Log } from '../core/base/log.ts';
import type { ProfileTokenStore } from '../core/profiles/profile-tokens.ts';

/** Maximum delay until sessions end whose token another process revoked, in ms; expired tokens end them immediately. */
const pollIntervalMs = 15_000;
/** Repeated refusals are logged once in this interval, in ms. */
const noteEveryMs = 60_000;
const maxRemembered = 200;

export class ProfileAuthenticator {
  readonly #tokens: ProfileTokenStore;
  readonly #log: Log;
  readonly #onRefused: (error: AppError) => void;
  readonly #refused = new Map<string, number>();

  /** `onRefused`: called at most once a minute for the same reason. */
  constructor(tokens: ProfileTokenStore, log: Log, onRefused: (error: AppError) => void) {
    this.#tokens = tokens;
    this.#log = log;
    this.#onRefused = onRefused;
  }

  /** The ID of a token for this profile, or the reason for refusal. A damaged file refuses all. */
  authenticate(profile: string, given: string): string | AppError {
    const judged = this.#judged(profile, given);
    if (judged instanceof AppError) this.#note(judged);
    return judged;
  }

  /** Called when sessions may have to end; returns an unsubscribe function. */
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

/** The same message in every case, so that it does not reveal which profiles and tokens exist. */
function unknown(): AppError {
  return new AppError('not_allowed', 'This token is not valid for this URL.', {
    fix: 'The user can create one: tooltray profile token create NAME.',
  });
}
