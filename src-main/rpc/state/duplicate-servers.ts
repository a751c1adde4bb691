/** Finds servers that are started or reached in exactly the same way, so that the user can remove one of them. */
import { canonicalJson } from '../../core/trust/canonical-json.ts';
import type { ServerConfig } from '../../core/config/server-config.ts';

/**
 * Returns the names of the other servers with the same launch, by name; a server without a duplicate has no entry.
 * Servers that are off cost nothing and are left out.
 */
export function findDuplicates(servers: readonly ServerConfig[]): ReadonlyMap<string, readonly string[]> {
  const byLaunch = Map.groupBy(
    servers.filter(({ enabled, kind }) => enabled && kind !== 'builtin'),
    launchOf,
  );
  const groups = [...byLaunch.values()]
    .map((group) => group.map(({ name }) => name))
    .filter((names) => names.length > 1);
  return new Map(groups.flatMap((names) => names.map((name) => [name, names.filter((other) => other !== name)])));
}

/** Two accounts of one service differ in their variables or headers, and are two servers. */
function launchOf(server: ServerConfig): string {
  if (server.kind === 'builtin') return server.name;
  if (server.kind !== 'stdio') return canonicalJson([server.url, server.headers]);
  const { command, args, env, cwd = null } = server;
  return canonicalJson([command, args, env, cwd]);
}
