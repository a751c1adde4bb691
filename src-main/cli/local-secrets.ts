/** The SecretService without a running core: opens the vault directly and prints the result. */
import type { ConfigStore } from '../core/config/config-store.ts';
import { SystemKeychain } from '../core/secrets/keychain.ts';
import { SecretService } from '../core/secrets/secret-service.ts';
import { openVault } from '../core/secrets/vault.ts';
import { cliPaths } from './cli-config.ts';
import { oneLine } from './terminal.ts';

export function openLocalSecrets(config: ConfigStore): SecretService {
  const { dataDir, logDir } = cliPaths();
  const keychain = new SystemKeychain(process.env);
  const vault = openVault(dataDir, process.env);
  return new SecretService({ vault, config, folders: [dataDir, logDir], keychain });
}

/** Warns about files that still contain secrets moved to the vault. */
export function backupCopyLines(copies: readonly string[]): string[] {
  if (copies.length === 0) return [];
  return [
    'These files still contain the plain values. Delete the backups once everything works:',
    ...copies.map((file) => `  ${oneLine(file)}`),
  ];
}
