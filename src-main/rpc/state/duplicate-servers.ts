/** Finds servers that are started or reached in the same way, so that the user can remove one of them. */
import { accountIdentity, launchIdentity } from '../../core/config/dialects/launch-identity.ts';
import type { ServerConfig } from '../../core/config/server-config.ts';

/**
 * Names of other servers with the same launch, by name; a server without a duplicate has no entry. Disabled servers
 * are ignored.
 */
export function findDuplicates(servers: readonly ServerConfig[]): ReadonlyMap<string, readonly string[]> {
  const byLaunch = Map.groupBy(
    servers.filter(({ enabled, kind }) => enabled && kind !== 'builtin'),
    (server) => `${launchIdentity({ ...server }) ?? server.name}\n${accountIdentity({ ...server })}`,
  );
  const groups = [...byLaunch.values()]
    .map((group) => group.map(({ name }) => name))
    .filter((names) => names.length > 1);
  return new Map(groups.flatMap((names) => names.map((name) => [name, names.filter((other) => other !== name)])));
}
