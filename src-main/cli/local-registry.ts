/** Registry requests without a running core: servers are started from this process. */
import packageJson from '../../package.json' with { type: 'json' };
import { probeEntry } from '../core/admin/probe-entry.ts';
import { createLog } from '../core/base/log.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { addServer } from '../core/config/edit-config.ts';
import { Registries } from '../core/registry/registries.ts';
import { RegistryService } from '../core/registry/registry-service.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { HttpFetch } from '../core/servers/network/http-fetch.ts';
import { openNetwork } from '../core/servers/network/outbound-network.ts';
import type { RegistryMethods } from '../rpc/contract.ts';
import { createRegistryHandlers } from '../rpc/handlers/registry.ts';
import { openCliConfig, serverNames } from './cli-config.ts';
import { runningCoreFor } from './core-access.ts';
import { openLocalSecrets } from './local-secrets.ts';
import { withTransports } from './probe.ts';

export type RegistryClient = <M extends keyof RegistryMethods>(
  method: M,
  input: RegistryMethods[M]['input'],
) => Promise<RegistryMethods[M]['output']>;

/** Uses the running core, so that added servers start there; otherwise this process. */
export async function withRegistries<T>(
  config: string | undefined,
  work: (ask: RegistryClient) => Promise<T>,
): Promise<T> {
  const core = await runningCoreFor(config);
  if (core === undefined) return work(localRegistryHandlers(await openCliConfig(config)));
  try {
    return await work((method, input) => core.ask(method, input));
  } finally {
    await core.close();
  }
}

function localRegistryHandlers(store: ConfigStore): RegistryClient {
  const environment = new EnvironmentResolver({ own: process.env });
  const network = openNetwork({ env: process.env, environment, config: store, log: createLog() });
  const http = new HttpFetch({ env: process.env, network });
  const { version } = packageJson;
  const service = new RegistryService({
    registries: new Registries({ http, registries: () => store.current.registries, now: Date.now }),
    secrets: openLocalSecrets(store),
    names: () => serverNames(store),
    tryEntry: (entry) =>
      withTransports(store.current, (transports) => probeEntry(entry, { config: store, transports, version })),
    save: (name, entry) => store.update((text) => addServer(text, name, entry)),
  });
  const handlers = createRegistryHandlers(service);
  const { signal } = new AbortController();
  return async (method, input) => {
    try {
      return await handlers[method](input, signal);
    } finally {
      http.close();
    }
  };
}
