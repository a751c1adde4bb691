/** Determines which variables of the user's login environment each server receives, by name. */
import { isSecretName } from '../base/mask.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';

/** Names only; values are never read here. */
export interface ServerVariables {
  readonly server: string;
  /** `all`: every variable of the login environment; `named`: the common ones and those that its entry names. */
  readonly gets: 'all' | 'named';
  /** Variables from the user's login and the server's own entry. */
  readonly given: readonly string[];
  /** Login variables the server does not get (by name, if it gets all). Likely keys come first. */
  readonly withheld: readonly string[];
}

export async function serverVariables(
  servers: readonly ServerConfig[],
  environment: EnvironmentResolver,
): Promise<readonly ServerVariables[]> {
  const started = servers.filter((server) => server.kind === 'stdio');
  return Promise.all(
    started.map(async (server) => {
      const { inheritEnv: inherited = [] } = server;
      const [now, narrow] = await Promise.all([
        environment.forServer(server.env, inherited),
        environment.forServer(server.env, inherited === 'all' ? [] : inherited),
      ]);
      const gets = inherited === 'all' ? 'all' : 'named';
      const withheld = narrow.withheld.toSorted(keysFirst);
      return { server: server.name, gets, given: Object.keys(now.env).toSorted(), withheld } as const;
    }),
  );
}

function keysFirst(one: string, other: string): number {
  return Number(isSecretName(other)) - Number(isSecretName(one)) || (one < other ? -1 : 1);
}
