/** Dependencies of a listener for creating sessions. */
import type { SessionServices } from './sessions/session-settings.ts';

/** How long a first list waits for servers that were never listed before, in ms. */
export const settleMs = 10_000;

/** The parts of a core from which sessions take what they need. */
interface SessionSources extends Pick<
  SessionServices,
  'catalog' | 'servers' | 'steps' | 'admin' | 'descriptions' | 'activity' | 'shaper' | 'modes' | 'modeCosts'
> {
  readonly options: {
    readonly config: { readonly latest: SessionServices['config'] };
    readonly mode?: SessionServices['mode'];
    readonly version: string;
  };
  readonly codeRunner: SessionServices['sandbox'];
  readonly spillFiles: { forCaller: NonNullable<SessionServices['spillFiles']> };
  readonly spills: { recall: NonNullable<SessionServices['spillOf']> };
  readonly trust: Pick<SessionServices, 'flow'>;
  readonly sessions: Pick<SessionServices, 'serverTasks'>;
  readonly profiles: { core: NonNullable<SessionServices['inProfiles']> };
  readonly extensionCores: { core: NonNullable<SessionServices['inKind']> };
}

export function createSessionServices(
  core: SessionSources,
  resultCapacity: SessionServices['resultCapacity'],
): SessionServices {
  const { config, mode, version } = core.options;
  return {
    catalog: core.catalog,
    servers: core.servers,
    steps: core.steps,
    admin: core.admin,
    sandbox: core.codeRunner,
    descriptions: core.descriptions,
    spillFiles: (caller) => core.spillFiles.forCaller(caller),
    spillOf: (ref) => core.spills.recall(ref),
    flow: core.trust.flow,
    activity: core.activity,
    shaper: core.shaper,
    serverInfo: { name: 'tooltray', title: 'Tooltray', version },
    config: config.latest,
    modes: core.modes,
    mode,
    modeCosts: core.modeCosts,
    settleMs,
    serverTasks: core.sessions.serverTasks,
    resultCapacity,
    inProfiles: (names) => core.profiles.core(names),
    inKind: (kind) => core.extensionCores.core(kind),
  };
}
