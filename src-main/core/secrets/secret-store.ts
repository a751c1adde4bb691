/** The sealed store of secrets and sign-ins: a user's vault on their machine, or rows of a shared database. */
import type { Emitter } from '../base/emitter.ts';
import type { KeyPlace } from './vault-file.ts';

/** How names of servers' secrets begin. */
export const serverSecretPrefix = 'secret/';

export type KeyPlaceName = KeyPlace['place'];

export interface VaultStatus {
  /** `empty`: nothing was kept yet, so there is no key. */
  readonly state: 'empty' | 'open' | 'locked';
  /** Location of the key; undefined if there is none, or the vault cannot be read. */
  readonly place: KeyPlaceName | undefined;
  /** The status and the next step, for the user. */
  readonly sentence: string;
  /** Number of stored values that cannot be opened now. */
  readonly sealed: number;
}

export interface SecretStore {
  /** These were written or removed. */
  readonly changed: Emitter<readonly string[]>;
  /** A key came that others did not wait for. */
  readonly onOpened: Emitter;
  /** A new secret of servers is known: maskers must be notified first. */
  readonly learned: Emitter;
  /** All secrets of servers that were opened so far, for maskers. */
  readonly values: readonly string[];
  /** The command by which a user keeps one: `tooltray secret set`. */
  readonly setWith: string;
  /** Command that stores a user's own value, if users have separate values. */
  readonly setUsersWith?: string;
  /** undefined: there is none of that name. Rejects with AppError `secret_locked`. */
  read(name: string): Promise<string | undefined>;
  /** The names that begin so, with when each was set, in ms since 1970. */
  names(start: string): Promise<readonly { readonly name: string; readonly changedAt: number }[]>;
  /** Kept, and read back, when it resolves. Rejects with AppError `secret_locked`, not_allowed where it is too long. */
  write(name: string, value: string): Promise<void>;
  /** Returns the stored value, or stores the one from `make` for all processes. Rejects as `write` does. */
  ensure(name: string, make: () => string): Promise<string>;
  /** Whether there was one. */
  remove(name: string): Promise<boolean>;
  /** Never rejects. */
  status(): Promise<VaultStatus>;
  /** Rejects with AppError `not_allowed` where it is another passphrase, or none is needed. */
  unlock(passphrase: string): Promise<void>;
  /** Moves the key to another place. Rejects with AppError unsupported where that is unavailable. */
  placeKey(place: KeyPlaceName, passphrase?: string, begin?: boolean): Promise<void>;
}
