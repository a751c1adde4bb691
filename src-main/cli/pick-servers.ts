/** Which servers a command is about: the one that is named, else all that are switched on. */
import type { ServerConfig } from '../core/config/app-config.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { serverNames, unknownServer } from './unknown-server.ts';

export interface PickedServers {
  readonly wanted: readonly ServerConfig[];
  /** Left out because they are switched off; a server that is named is not. */
  readonly off: readonly ServerConfig[];
  /** Names whose entry in the file cannot be used. */
  readonly broken: readonly string[];
}

/** Throws AppError server_not_found. */
export function pickServers(store: ConfigStore, name: string | undefined): PickedServers {
  const { servers } = store.current;
  const names = serverNames(store);
  if (name !== undefined && !names.includes(name)) throw unknownServer(name, names);
  const known = new Set(servers.map((server) => server.name));
  const broken = names.filter((one) => !known.has(one) && (name === undefined || one === name));
  if (name !== undefined) return { wanted: servers.filter((server) => server.name === name), off: [], broken };
  return { wanted: servers.filter(({ enabled }) => enabled), off: servers.filter(({ enabled }) => !enabled), broken };
}
