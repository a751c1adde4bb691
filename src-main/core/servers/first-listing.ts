/** Reads what a server of one process per user lists from the process of the first user who comes. */
import { type AppError, errorText, toAppError } from '../base/errors.ts';
import type { Person } from '../security/principal.ts';

/** Why lists could not be read. */
export interface ListingFailure {
  readonly error: AppError;
  readonly failures: number;
  /** In ms since 1970. */
  readonly retryAt: number;
}

interface FirstListingOptions {
  /** Opens this user's line and reads what is listed there. */
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
  /** Who has to sign in first: nothing is tried with them before. */
  readonly #signedOut = new Set<string>();

  constructor(options: FirstListingOptions) {
    this.#options = options;
  }

  /** Why the last one came to nothing, as a server's state has it. */
  get failure(): ListingFailure | undefined {
    return this.#failure;
  }

  /** Records that the user has arrived. Never throws. */
  at(person: Person): void {
    if (this.#signedOut.has(person.user)) return;
    this.#person = person;
    void this.again()?.catch(() => undefined);
  }

  /** They have signed in, or out. */
  changed(person: Person): void {
    this.#signedOut.delete(person.user);
  }

  /** Lists with the process of the last user; undefined if there was none. Rejects with the reason of a failure. */
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
