/** Lists the tools of a server with one process per user, using the process of the first user. */
import { type AppError, errorText, toAppError } from '../base/errors.ts';
import type { Person } from '../security/principal.ts';

/** Why listing failed. */
export interface ListingFailure {
  readonly error: AppError;
  readonly failures: number;
  /** In ms since 1970. */
  readonly retryAt: number;
}

interface FirstListingOptions {
  /** Opens this user's connection and lists the server. */
  readonly look: (person: Person) => Promise<void>;
  readonly onEnd: () => void;
  readonly onWarning: (text: string) => void;
}

/**
 * Reads the listing of an unused server from the first user's process. A failure is reported, and the next user's is
 * tried.
 */
export class FirstListing {
  readonly #options: FirstListingOptions;
  #person: Person | undefined;
  #looking: Promise<void> | undefined;
  #failure: ListingFailure | undefined;
  /** Users who have to sign in first; nothing is attempted with them before. */
  readonly #signedOut = new Set<string>();

  constructor(options: FirstListingOptions) {
    this.#options = options;
  }

  /** The latest failure, in the form of a server's state. */
  get failure(): ListingFailure | undefined {
    return this.#failure;
  }

  /** Records that the user has arrived. Never throws. */
  at(person: Person): void {
    if (this.#signedOut.has(person.user)) return;
    this.#person = person;
    void this.again()?.catch(() => undefined);
  }

  /** Called when the user signed in or out. */
  changed(person: Person): void {
    this.#signedOut.delete(person.user);
  }

  /**
   * Lists again with the process of the last user; undefined if there was none. Rejects with the reason of a failure.
   */
  again(): Promise<void> | undefined {
    const person = this.#person;
    if (person === undefined) return undefined;
    return (this.#looking ??= this.#look(person).finally(() => {
      this.#looking = undefined;
      this.#options.onEnd();
    }));
  }

  async #look(person: Person): Promise<void> {
    try {
      await this.#options.look(person);
      this.#failure = undefined;
      this.#person = undefined;
    } catch (error) {
      const failures = (this.#failure?.failures ?? 0) + 1;
      const failure = toAppError(error);
      if (failure.code === 'server_unauthorized') this.#mustSignIn(person);
      this.#failure = { error: failure, failures, retryAt: Date.now() };
      this.#options.onWarning(errorText(error));
      throw error;
    }
  }

  #mustSignIn(person: Person): void {
    this.#signedOut.add(person.user);
    if (this.#person === person) this.#person = undefined;
  }
}
