/** Revokes sign-ins of servers removed from the config file by a command, without a running core. */
import { join } from 'node:path';
import { type SignOutState, signOutRemovedServer } from '../core/admin/server-cleanup.ts';
import type { ServerConfig } from '../core/config/server-config.ts';
import { resolveSecrets } from '../core/secrets/resolve-secrets.ts';
import { openVault } from '../core/secrets/vault.ts';
import { OAuthManager } from '../core/servers/oauth/oauth-manager.ts';
import { cliPaths } from './cli-config.ts';

/** Outcome of each sign-out, by name; absent for a server without sign-in. Rejects with the file system's error. */
export async function signOutLocally(servers: readonly ServerConfig[]): Promise<ReadonlyMap<string, SignOutState>> {
  const { dataDir } = cliPaths();
  const vault = openVault(dataDir, process.env);
  const signIns = new OAuthManager({
    folder: join(dataDir, 'sign-ins'),
    vault,
    env: process.env,
    fill: (config) => resolveSecrets(config, (secret) => vault.read(secret)),
  });
  try {
    const left = new Map<string, SignOutState>();
    for (const server of servers) {
      const how = await signOutRemovedServer(server, signIns);
      if (how !== undefined) left.set(server.name, how);
    }
    return left;
  } finally {
    signIns.close();
  }
}
