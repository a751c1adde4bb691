/** The desk for secrets without a running core: the vault itself. */
import type { ConfigStore } from '../core/config/config-store.ts';
import { SecretDesk } from '../core/secrets/secret-desk.ts';
import { openVault } from '../core/secrets/vault.ts';
import { cliPaths } from './cli-config.ts';

export function ownDesk(config: ConfigStore): SecretDesk {
  const { dataDir, logDir } = cliPaths();
  return new SecretDesk({ vault: openVault(dataDir, process.env), config, folders: [dataDir, logDir] });
}
