/** The team's keys for one purpose: the first one encrypts, and all of them decrypt. */
import { seal, unseal } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';

export class KeyRing {
  readonly #keys: readonly Buffer[];

  /** `keys`: 32 bytes each. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
  }

  /** The text can be decrypted only with the same `about`. Throws AppError `secret_locked` without a key. */
  seal(text: string, about: string): string {
    const [first] = this.#keys;
    if (first === undefined) throw lockedError();
    return seal(first, text, about);
  }

  /**
   * Throws AppError `secret_locked` if no key decrypts it: it belongs elsewhere, was changed, or its key is missing.
   */
  open(sealed: string, about: string): string {
    for (const key of this.#keys) {
      const text = unseal(key, sealed, about);
      if (text !== undefined) return text;
    }
    throw lockedError();
  }
}

function lockedError(): AppError {
  return new AppError('secret_locked', 'The database contains a value that none of the team keys can decrypt.', {
    fix: 'Start every replica with the same team keys, including the previous ones. If they are set, the value was changed by another program: set it again.',
  });
}
