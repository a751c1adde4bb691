/** Takes sign-ins of servers back that a command has taken out of the config file, without a running core. */
import { join } from 'node:path';
import { type Left, leaveServer } from '../core/admin/leave-server.ts';
import type { ServerConfig } from '../core/config/app-config.ts';
import { fillSecrets } from '../core/secrets/fill-secrets.ts';
import { openVault } from '../core/secrets/vault.ts';
import { SignIns } from '../core/servers/sign-in/sign-ins.ts';
import { cliPaths } from './cli-config.ts';

/** What became of each, by name; absent for one that nobody could sign in to. Rejects with the file system's error. */
export async function leaveHere(servers: readonly ServerConfig[]): Promise<ReadonlyMap<string, Left>> {
  const { dataDir } = cliPaths();
  const vault = openVault(dataDir, process.env);
  const signIns = new SignIns({
    ...{ folder: join(dataDir, 'sign-ins'), vault, env: process.env },
    fill: (config) => fillSecrets(config, (secret) => vault.read(secret)),
  });
  try {
    const left = new Map<string, Left>();
    for (const server of servers) {
      const how = await leaveServer(server, signIns);
      if (how !== undefined) left.set(server.name, how);
    }
    return left;
  } finally {
    signIns.close();
  }
}
