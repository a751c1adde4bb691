/** Requests about secrets. Responses never contain a value. */
import { z } from 'zod';
import type { FoundSecret } from '../../core/secrets/find-plaintext-secrets.ts';
import type { MovedSecrets, SecretRow } from '../../core/secrets/secret-service.ts';
import type { VaultStatus } from '../../core/secrets/secret-store.ts';
import { entry, flag, maybe, name, nothing, text, type Methods } from './fields.ts';

export type { FoundSecret } from '../../core/secrets/find-plaintext-secrets.ts';
export type { MovedSecrets, SecretRow } from '../../core/secrets/secret-service.ts';
export type { VaultStatus } from '../../core/secrets/secret-store.ts';

/** Schemas of the inputs. */
export const secretInputs = {
  secrets: nothing,
  setSecret: z.object({ name, value: z.string().max(500_000) }),
  removeSecret: z.object({ name }),
  plaintextSecrets: z.object({ server: maybe(name), entry: maybe(entry) }),
  moveSecrets: z.object({ server: maybe(name) }),
  unlockVault: z.object({ passphrase: text }),
  moveVaultKey: z.object({
    place: z.enum(['keychain', 'passphrase', 'file']),
    passphrase: maybe(text),
    begin: maybe(flag),
  }),
};

interface SecretOutputs {
  secrets: { readonly secrets: readonly SecretRow[]; readonly vault: VaultStatus };
  /** Restarts the servers that use it. */
  setSecret: { readonly name: string; readonly servers: readonly string[] };
  removeSecret: { readonly removed: boolean; readonly servers: readonly string[] };
  /** Texts that look like secrets in the config file or in a new entry. */
  plaintextSecrets: { readonly found: readonly FoundSecret[] };
  /** Moves secrets into the vault; `copies`: files that still contain a value in plain text. */
  moveSecrets: MovedSecrets;
  unlockVault: VaultStatus;
  /** Moves the vault's key; `begin`: creates a new key for new values if the old one is unavailable. */
  moveVaultKey: VaultStatus;
}

export type SecretMethods = Methods<typeof secretInputs, SecretOutputs>;
