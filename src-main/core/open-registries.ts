/** Registries of servers put together: who looks things up there, and the person's desk that adds what was found. */
import type { PersonEdits } from './admin/person-edits.ts';
import { tryEntry } from './admin/try-entry.ts';
import type { Env } from './base/app-paths.ts';
import type { ConfigStore } from './config/config-store.ts';
import { Registries } from './registry/registries.ts';
import { RegistryDesk } from './registry/registry-desk.ts';
import type { SecretDesk } from './secrets/secret-desk.ts';
import { HttpFetch } from './servers/network/http-fetch.ts';
import type { OutboundNetwork } from './servers/network/outbound-network.ts';
import type { ServerManager } from './servers/server-manager.ts';
import type { TransportFactory } from './servers/transports/create-transport.ts';

interface RegistryRoom {
  readonly options: { readonly config: ConfigStore; readonly env: Env; readonly version: string };
  readonly network: OutboundNetwork;
  readonly edits: PersonEdits;
  readonly secrets: SecretDesk;
  readonly servers: ServerManager;
  readonly transports: TransportFactory;
}

export interface OpenRegistries {
  /** For everybody: looking changes nothing. */
  readonly reader: Registries;
  /** For people alone. */
  readonly desk: RegistryDesk;
  readonly close: () => void;
}

export function openRegistries({
  options,
  network,
  edits,
  secrets,
  servers,
  transports,
}: RegistryRoom): OpenRegistries {
  const { config, env, version } = options;
  const http = new HttpFetch({ env, network });
  const reader = new Registries({ http, places: () => config.current.registries, now: Date.now });
  const desk = new RegistryDesk({
    ...{ registries: reader, secrets },
    names: () => servers.all.map((server) => server.config.name),
    tryEntry: (entry) => tryEntry(entry, { config, transports, version }),
    save: (name, entry) => edits.save(name, entry, false),
  });
  return { reader, desk, close: () => http.close() };
}
