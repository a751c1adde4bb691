/** Which variables of the user's login each server receives, by name. */
import { isSecretName } from '../base/mask.ts';
import type { ServerConfig } from '../config/app-config.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';

/** Names only: what is in a variable is nobody's business here. */
export interface ServerVariables {
  readonly server: string;
  /** `all`: every variable of the login; `named`: the common ones and those that its entry names. */
  readonly gets: 'all' | 'named';
  /** Of the person's login and of its own entry. */
  readonly given: readonly string[];
  /** Of the person's login; where it gets all, those that it would not get by name. What looks like a key comes first. */
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
