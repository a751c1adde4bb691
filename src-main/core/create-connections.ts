/** Connections to the servers: network, sign-in, launch and isolation, transports, and the manager that owns them. */
import { join } from 'node:path';
import type { ServerConfig } from './config/server-config.ts';
import type { CoreContext, Edition } from './core-context.ts';
import type { TrustGroup } from './create-trust.ts';
import { forNobody, parseSecretVaultKey, resolveSecrets } from './secrets/resolve-secrets.ts';
import { tooltrayPaths } from './security/protected-paths.ts';
import { StartLimiter } from './servers/connection-opener.ts';
import { defaultClientIdentity } from './servers/handshake.ts';
import { ChildProcessList } from './servers/launch/child-process-list.ts';
import { ProcessRegistry } from './servers/launch/process-registry.ts';
import { EnvironmentResolver } from './servers/launch/resolve-environment.ts';
import { requiredIsolation } from './servers/launch/sandbox/required-isolation.ts';
import { createServerSandboxes, type ServerSandboxes } from './servers/launch/sandbox/server-sandboxes.ts';
import { ListingCache } from './servers/listing-cache.ts';
import { openNetwork, type OutboundNetwork, type OutboundNetworkOptions } from './servers/network/outbound-network.ts';
import { OAuthManager } from './servers/oauth/oauth-manager.ts';
import { ServerManager } from './servers/server-manager.ts';
import { PauseSwitch } from './servers/shared-connection.ts';
import { TransportFactory } from './servers/transports/create-transport.ts';
import { UsageMeter } from './servers/usage-meter.ts';
import { UsageWatch } from './servers/usage-watch.ts';
import type { ConnectionBudgets } from './wire/byte-budget.ts';

interface ConnectionsOptions {
  readonly context: CoreContext;
  readonly trust: Pick<TrustGroup, 'vault' | 'pins'>;
  /** Memory limits shared by all connections. */
  readonly budgets: ConnectionBudgets;
  readonly edition: Edition | undefined;
  /** The system's proxy for an address, if available. */
  readonly resolveProxy: OutboundNetworkOptions['resolveProxy'];
}

export interface Connections {
  readonly manager: ServerManager;
  readonly signIns: OAuthManager;
  /** Environment of servers' processes. */
  readonly environment: EnvironmentResolver;
  readonly network: OutboundNetwork;
  readonly processes: ProcessRegistry;
  /** Sandboxes of confined servers. */
  readonly sandboxes: ServerSandboxes;
  readonly transports: TransportFactory;
  /** Resource usage of the servers' processes. */
  readonly usage: UsageMeter;
  readonly usageWatch: UsageWatch;
}

const startSlots = 10;

export function createConnections(options: ConnectionsOptions): Connections {
  const { context, trust, edition } = options;
  const { paths, log, version } = context;
  const launch = createLaunchParts(options);
  const { transports, signIns } = launch;
  const usage = new UsageMeter({ registry: launch.processes });
  const usageWatch = new UsageWatch(usage, log);
  const manager = new ServerManager({
    usageProblems: (server) => usageWatch.problemsOf(server),
    pinsOf: (config, kind) => trust.pins.of(config, kind),
    createTransport: (config) => transports.create(config),
    personal: edition?.perUserProcesses,
    own: edition?.perUserConnections,
    logOf: (server) => transports.log(server),
    cache: new ListingCache(join(paths.cacheDir, 'listings')),
    identity: defaultClientIdentity(version),
    slots: new StartLimiter(startSlots),
    pause: new PauseSwitch(),
    signIns,
    now: Date.now,
    random: Math.random,
    onWarning: (server, text) => log.child(server).info(text.slice(0, 2000)),
  });
  usageWatch.changed.on((server) => manager.find(server)?.changed.emit());
  trust.vault.changed.on((names) => void manager.secretsChanged(new Set(names.flatMap(parseSecretVaultKey))));
  trust.vault.onOpened.on(() => void manager.vaultOpened());
  return { ...launch, manager, usage, usageWatch };
}

function createLaunchParts({
  context,
  trust: { vault },
  budgets,
  edition,
  resolveProxy,
}: ConnectionsOptions): Omit<Connections, 'manager' | 'usage' | 'usageWatch'> {
  const { paths, env, config, log, masker } = context;
  const fill = <C extends ServerConfig>(server: C): Promise<C> =>
    resolveSecrets(server, (name) => vault.read(name), forNobody(vault));
  const documentUrl = (): string | undefined => config.current.oauth.clientMetadataUrl;
  const processes = new ProcessRegistry(new ChildProcessList(paths.runDir));
  const environment = edition?.launch.environment ?? new EnvironmentResolver({ own: env });
  const network = openNetwork({ env, environment, config, log, resolveProxy });
  const signIns = new OAuthManager({ folder: join(paths.dataDir, 'sign-ins'), vault, env, network, fill, documentUrl });
  const sandboxes = createServerSandboxes(
    paths,
    config.path,
    (server, host) => log.child('isolation').warn(`${server} requested ${host}, which it is not allowed to access`),
    edition?.launch,
  );
  const transports = new TransportFactory({
    env,
    network,
    signIns,
    registry: processes,
    environment,
    logDir: join(paths.logDir, 'servers'),
    own: tooltrayPaths(paths, config.path),
    boxes: sandboxes,
    isolationOf: (config) =>
      edition === undefined ? config.isolate : requiredIsolation(config, edition.launch.allowsUnconfined),
    mask: (text) => masker.maskText(text),
    budgets,
    fill,
  });
  return { processes, environment, network, signIns, sandboxes, transports };
}
