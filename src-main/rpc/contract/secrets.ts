/** Requests about secrets. No response contains a value. */
import type { FoundSecret } from '../../core/secrets/find-plaintext-secrets.ts';
import type { MovedSecrets, SecretRow } from '../../core/secrets/secret-service.ts';
import type { KeyPlaceName, VaultStatus } from '../../core/secrets/secret-store.ts';
import type { Nothing } from './nothing.ts';

export type { FoundSecret } from '../../core/secrets/find-plaintext-secrets.ts';
export type { MovedSecrets, SecretRow } from '../../core/secrets/secret-service.ts';
export type { VaultStatus } from '../../core/secrets/secret-store.ts';

export interface SecretsContract {
  secrets: { input: Nothing; output: { readonly secrets: readonly SecretRow[]; readonly vault: VaultStatus } };
  /** Servers that get it are started anew. */
  setSecret: {
    input: { readonly name: string; readonly value: string };
    output: { readonly name: string; readonly servers: readonly string[] };
  };
  removeSecret: {
    input: { readonly name: string };
    output: { readonly removed: boolean; readonly servers: readonly string[] };
  };
  /** Texts that look like secrets in the config file, or in an entry to be added. */
  plainSecrets: {
    input: { readonly server?: string; readonly entry?: Readonly<Record<string, unknown>> };
    output: { readonly found: readonly FoundSecret[] };
  };
  /** Moves it into the vault; `copies`: files that still hold a value as it was. */
  moveSecrets: { input: { readonly server?: string }; output: MovedSecrets };
  unlockVault: { input: { readonly passphrase: string }; output: VaultStatus };
  /** Moves the vault's key; `begin`: a new one for new values, where the old one cannot be had. */
  placeVaultKey: {
    input: { readonly place: KeyPlaceName; readonly passphrase?: string; readonly begin?: boolean };
    output: VaultStatus;
  };
}
