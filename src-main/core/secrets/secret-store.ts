/** The encrypted store of secrets and sign-ins: a user's vault on their machine, or rows of a shared database. */
import type { Emitter } from '../base/emitter.ts';
import type { KeyPlace } from './vault-file.ts';

/** Prefix of the names of servers' secrets. */
export const serverSecretPrefix = 'secret/';

export type KeyPlaceName = KeyPlace['place'];

export interface VaultStatus {
  /** `empty`: nothing was stored yet, so there is no key. */
  readonly state: 'empty' | 'open' | 'locked';
  /** Location of the key; undefined if there is none, or the vault cannot be read. */
  readonly place: KeyPlaceName | undefined;
  /** The status and the next step, for the user. */
  readonly sentence: string;
  /** Number of stored values that cannot be decrypted now. */
  readonly sealed: number;
}

export interface SecretStore {
  /** Emits the names of written or removed secrets. */
  readonly changed: Emitter<readonly string[]>;
  /** Emits when a key arrived after others stopped waiting for it. */
  readonly onOpened: Emitter;
  /** Emits when a new secret of servers is known, before it is used, for maskers. */
  readonly learned: Emitter;
  /** All decrypted secrets of servers, for maskers. */
  readonly values: readonly string[];
  /** The command with which a user sets one: `tooltray secret set`. */
  readonly setWith: string;
  /** Command that stores a user's own value, if users have separate values. */
  readonly setUsersWith?: string;
  /** Undefined if there is none of that name. Rejects with AppError `secret_locked`. */
  read(name: string): Promise<string | undefined>;
  /** The names with this prefix, and when each was set, in ms since 1970. */
  names(start: string): Promise<readonly { readonly name: string; readonly changedAt: number }[]>;
  /** Stored and read back when it resolves. Rejects with AppError `secret_locked`, not_allowed if it is too long. */
  write(name: string, value: string): Promise<void>;
  /** Returns the stored value, or stores the one from `make` for all processes. Rejects as `write` does. */
  ensure(name: string, make: () => string): Promise<string>;
  /** Returns whether there was one. */
  remove(name: string): Promise<boolean>;
  /** Never rejects. */
  status(): Promise<VaultStatus>;
  /** Rejects with AppError `not_allowed` if the passphrase is wrong, or if none is needed. */
  unlock(passphrase: string): Promise<void>;
  /** Moves the key to another place. Rejects with AppError unsupported if that is unavailable. */
  placeKey(place: KeyPlaceName, passphrase?: string, begin?: boolean): Promise<void>;
}
