/** Changes to the servers: by models under one policy, by users, by repair, and by entries found in registries. */
import { join } from 'node:path';
import { createSelfHealing, type SelfHealing } from './admin/self-healing.ts';
import { ServerAdmin } from './admin/server-admin.ts';
import type { ProposalStore } from './admin/server-change.ts';
import { ServerRemoval } from './admin/server-removal.ts';
import { UserEdits } from './admin/user-edits.ts';
import { DescriptionStore } from './condense/description-store.ts';
import { ToolmuxCache } from './condense/toolmux-cache.ts';
import type { CoreContext } from './core-context.ts';
import type { Connections } from './create-connections.ts';
import { createRegistries, type RegistryServices } from './create-registries.ts';
import type { TrustGroup } from './create-trust.ts';

interface ServerAdminOptions {
  readonly context: CoreContext;
  readonly connections: Connections;
  readonly trust: Pick<TrustGroup, 'vault' | 'secrets'>;
  readonly proposals: ProposalStore;
}

/** The servers of a core, and all that changes them. */
export interface ServersGroup extends Omit<Connections, 'network' | 'usageWatch'> {
  readonly admin: ServerAdmin;
  /** Edits by the user. */
  readonly edits: UserEdits;
  readonly removals: ServerRemoval;
  /** Registries of servers; no session or mode has access to the service. */
  readonly registries: RegistryServices;
  /** Repairs servers with launches found elsewhere on this machine. */
  readonly healing: SelfHealing;
}

export function createServerAdmin({ context, connections, trust, proposals }: ServerAdminOptions): {
  readonly servers: ServersGroup;
  readonly descriptions: DescriptionStore;
} {
  const { paths, config, log, env, version } = context;
  const { network, usageWatch: _usageWatch, ...parts } = connections;
  const { manager, environment, transports, signIns, sandboxes } = parts;
  const { secrets, vault } = trust;
  const hashOf = (server: string): string | undefined => manager.find(server)?.config.hash;
  const descriptions = new DescriptionStore(join(paths.dataDir, 'descriptions'), hashOf, new ToolmuxCache(config));
  const edits = new UserEdits(config, manager);
  const healing = createSelfHealing({
    config,
    env,
    version,
    environment,
    transports,
    edits,
    secrets,
    vault,
    servers: () => manager.all,
    dataDir: paths.dataDir,
    log: log.child('healing'),
  });
  const admin = new ServerAdmin({
    config,
    servers: manager,
    proposals,
    environment,
    lastLines: (server) => transports.lastLines(server),
    knownFix: (server) => healing.hintFor(server),
    knownLaunch: (server) => healing.findLaunch(server),
    secrets,
    descriptions,
  });
  const removals = new ServerRemoval({
    config,
    edits,
    signIns,
    log,
    file: join(paths.dataDir, 'sign-ins-in-use.json'),
    removeHomes: (server) => sandboxes.removeHomes(server),
    onSignedOut: (server, sentence) => admin.recordUserDecision('sign-out', sentence, server),
  });
  const registries = createRegistries({ context, network, edits, secrets, servers: manager, transports });
  return { servers: { ...parts, admin, edits, removals, registries, healing }, descriptions };
}
