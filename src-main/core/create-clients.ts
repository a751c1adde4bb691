/** The clients of a core: their sessions, and the core as seen by profiles and by apps with extensions. */
import { TokenBudgets } from './activity/token-budgets.ts';
import { RepeatedCalls } from './calls/repeated-calls.ts';
import { ResultMemoryQuota } from './calls/slow-calls.ts';
import type { CoreContext } from './core-context.ts';
import type { CoreStores } from './core-stores.ts';
import type { Activity } from './create-activity.ts';
import { type CreatedCalls, settleMs } from './create-calls.ts';
import type { ServersGroup } from './create-server-admin.ts';
import type { TrustGroup } from './create-trust.ts';
import { ExtensionCores } from './extension-cores.ts';
import type { UnscopedServices } from './catalog-scope.ts';
import { ProfileCores } from './profile-cores.ts';
import { ProfileTokenStore } from './profiles/profile-tokens.ts';
import { ParkedCalls } from './sessions/parked-calls.ts';
import { SessionRegistry } from './sessions/session-registry.ts';
import type { SessionServices } from './sessions/session-settings.ts';
import type { ConnectionBudgets } from './wire/byte-budget.ts';

interface ClientsOptions extends Pick<CreatedCalls, 'calls' | 'stagesDeps'> {
  readonly context: CoreContext;
  readonly stores: Pick<CoreStores, 'profileTokens'>;
  readonly servers: ServersGroup;
  readonly record: Pick<Activity, 'activity'>;
  readonly trust: Pick<TrustGroup, 'dataFlow'>;
  readonly budgets: ConnectionBudgets;
  /** The token of the home. */
  readonly token: string;
}

/** The connected clients of a core, and the services they use. */
export interface ClientsGroup {
  readonly sessions: SessionRegistry;
  readonly parkedCalls: ParkedCalls;
  readonly profiles: ProfileCores;
  /** The core as seen by apps that declare MCP extensions. */
  readonly extensions: ExtensionCores;
  /** Tokens that open the endpoint of one profile until a date. */
  readonly profileTokens: ProfileTokenStore;
  /** Dependencies of a listener's sessions. */
  readonly services: SessionServices;
  /** Memory limits shared by all connections. */
  readonly budgets: ConnectionBudgets;
  /** Grants access to everything on this machine that can read the user's files. */
  readonly token: string;
}

export function createClients(options: ClientsOptions): ClientsGroup {
  const { context, stores, servers, calls, stagesDeps, trust, budgets, token } = options;
  const { config, log } = context;
  const sessions = new SessionRegistry(servers.manager, calls.catalog);
  const whole = unscopedServices(options, sessions);
  const parts = { config, steps: stagesDeps, admin: servers.admin, spills: calls.spills };
  const profiles = new ProfileCores({ ...parts, whole, isShown: (catalog) => sessions.usesCatalog(catalog) });
  const inProfiles = (names: readonly string[]): SessionServices => profiles.core(names);
  const extensions = new ExtensionCores({
    ...parts,
    whole: { ...whole, inProfiles },
    servers: servers.manager,
    sessions,
    log: log.child('extensions'),
  });
  sessions.ended.on((id) => trust.dataFlow.flow.forget(id));
  profiles.changed.on(({ catalog, change }) => sessions.announce(catalog, change));
  extensions.changed.on(({ catalog, change }) => sessions.announce(catalog, change));
  return {
    sessions,
    parkedCalls: new ParkedCalls(),
    profiles,
    extensions,
    profileTokens: new ProfileTokenStore(stores.profileTokens),
    services: { ...whole, inProfiles, inKind: (kind) => extensions.core(kind) },
    budgets,
    token,
  };
}

function unscopedServices(
  { context, calls, servers, record, trust }: ClientsOptions,
  sessions: SessionRegistry,
): UnscopedServices {
  const { config, mode, version } = context;
  return {
    catalog: calls.catalog,
    servers: servers.manager,
    steps: calls.stages,
    admin: servers.admin,
    sandbox: calls.codeRunner,
    descriptions: calls.descriptions,
    spillFiles: (caller) => calls.spillFiles.forCaller(caller),
    spillOf: (ref) => calls.spills.recall(ref),
    flow: trust.dataFlow.flow,
    activity: record.activity,
    repeatedCalls: new RepeatedCalls(config.reader('pollingTools')),
    tokenBudgets: new TokenBudgets({
      budgets: config.reader('tokenBudgets'),
      activity: record.activity,
      now: Date.now,
    }),
    shaper: calls.shaper,
    serverInfo: { name: 'tooltray', title: 'Tooltray', version },
    config: config.latest,
    modes: calls.modes,
    mode,
    modeCosts: calls.modeCosts,
    settleMs,
    serverTasks: sessions.serverTasks,
    resultCapacity: new ResultMemoryQuota(),
  };
}
