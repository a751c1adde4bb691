/** Creates the registries of servers: the reader, and the service that adds servers from them. */
import type { UserEdits } from './admin/user-edits.ts';
import { probeEntry } from './admin/probe-entry.ts';
import type { CoreContext } from './core-context.ts';
import { Registries } from './registry/registries.ts';
import { RegistryService } from './registry/registry-service.ts';
import type { SecretService } from './secrets/secret-service.ts';
import { HttpFetch } from './servers/network/http-fetch.ts';
import type { OutboundNetwork } from './servers/network/outbound-network.ts';
import type { ServerManager } from './servers/server-manager.ts';
import type { TransportFactory } from './servers/transports/create-transport.ts';

interface RegistryDeps {
  readonly context: Pick<CoreContext, 'config' | 'env' | 'version'>;
  readonly network: OutboundNetwork;
  readonly edits: UserEdits;
  readonly secrets: SecretService;
  readonly servers: ServerManager;
  readonly transports: TransportFactory;
}

export interface RegistryServices {
  /** For everybody, because looking changes nothing. */
  readonly reader: Registries;
  /** For the user only, never for models. */
  readonly service: RegistryService;
  readonly close: () => void;
}

export function createRegistries({
  context,
  network,
  edits,
  secrets,
  servers,
  transports,
}: RegistryDeps): RegistryServices {
  const { config, env, version } = context;
  const http = new HttpFetch({ env, network });
  const reader = new Registries({ http, registries: () => config.current.registries, now: Date.now });
  const service = new RegistryService({
    registries: reader,
    secrets,
    names: () => servers.all.map((server) => server.config.name),
    tryEntry: (entry) => probeEntry(entry, { config, transports, version }),
    save: (name, entry) => edits.save(name, entry, false),
  });
  return { reader, service, close: () => http.close() };
}
