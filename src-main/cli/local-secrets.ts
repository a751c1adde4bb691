/** The SecretService without a running core: it uses the vault directly and prints what it did. */
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

/** Files that still hold what was sealed, for a user. */
export function backupCopyLines(copies: readonly string[]): string[] {
  if (copies.length === 0) return [];
  return [
    'These files still contain the plain values. Delete the backups once everything works:',
    ...copies.map((file) => `  ${oneLine(file)}`),
  ];
}
