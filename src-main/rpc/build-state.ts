/** Source of each slice of the state, and the events that change it. */
import { agentChangePolicyTexts } from '../core/admin/server-change.ts';
import { displayNameOf } from '../core/client-apps/app-traits.ts';
import type { AppState, CoreFacts, SettingsFacts, SetupFacts } from './contract.ts';
import { describeProblem, type RpcDeps, serverStatuses, sessionStatuses } from './deps.ts';
import { dataFlowOverview } from './handlers/data-flow.ts';
import { inboxSummary } from './handlers/inbox.ts';
import { profilesOverview } from './handlers/profiles.ts';
import { openSteps } from './handlers/timeline.ts';
import { activityOverview } from './state/activity-overview.ts';
import { attentionItems } from './state/attention.ts';
import { DayOfCalls, savingsOverview } from './state/savings-overview.ts';
import { ListTokens } from './state/list-tokens.ts';
import { modesOverview } from './state/modes-overview.ts';
import { serverRows } from './state/server-rows.ts';
import type { SliceBuilders, Source } from './state-publisher.ts';

export function stateBuilders(deps: RpcDeps): SliceBuilders {
  const { activity, calls, trust, apps, desktop } = deps;
  const day = new DayOfCalls(activity.log);
  const tokens = new ListTokens(deps);
  const inbox = async (): Promise<AppState['inbox']> => (await trust.inbox.items()).map(inboxSummary);
  return {
    core: () => coreFacts(deps),
    servers: () => serverRows(deps, { day, tokens }),
    sessions: () => sessionStatuses(deps),
    attention: async () =>
      attentionItems({
        core: coreFacts(deps),
        servers: serverStatuses(deps),
        inbox: await inbox(),
        apps: await apps.apps(),
        home: trust.home.facts,
      }),
    inbox,
    dataFlow: () => dataFlowOverview(deps),
    profiles: () => profilesOverview(deps),
    savings: () => savingsOverview(deps, (question) => activity.ledger.savings(question)),
    activity: () => activityOverview(deps, day),
    timeline: () => ({ revision: activity.timeline.revision, ...openSteps(activity.timeline, Date.now()) }),
    spills: async () => ({ ...(await calls.spills.usage()), revision: calls.spills.revision }),
    setup: () => setupFacts(deps),
    access: () => apps.access(),
    modes: () => modesOverview(deps),
    settings: () => settingsFacts(deps, desktop?.settings()),
    team: () => null,
  };
}

export function stateSource({
  context,
  servers,
  calls,
  activity,
  trust,
  clients,
  apps,
  offerTests,
  desktop,
  onEndpointsChange,
}: RpcDeps): Source {
  return (touch) => {
    const stops = [
      servers.manager.changed.on(() => touch('servers', 'attention', 'core')),
      servers.signIns.changed.on(() => touch('servers', 'attention')),
      calls.catalog.changed.on(() => touch('servers', 'modes')),
      clients.sessions.changed.on(() => touch('sessions', 'servers', 'setup', 'access')),
      context.config.changed.on(() =>
        touch('core', 'servers', 'modes', 'settings', 'spills', 'savings', 'inbox', 'dataFlow', 'profiles'),
      ),
      context.config.problemsChanged.on(() => touch('core', 'attention')),
      trust.home.changed.on(() => touch('attention')),
      context.health.changed.on(() => touch('core', 'attention')),
      trust.inbox.changed.on(() => touch('inbox', 'attention')),
      activity.log.changed.on(() => touch('activity', 'savings', 'servers', 'setup', 'sessions')),
      activity.timeline.changed.on(() => touch('timeline')),
      calls.spills.changed.on(() => touch('spills')),
      trust.dataFlow.record.changed.on(() => touch('dataFlow')),
      clients.profileTokens.changed.on(() => touch('profiles')),
      servers.healing.changed.on(() => touch('servers', 'attention')),
      apps.onChange(() => touch('setup', 'attention', 'access')),
      offerTests?.changed.on(() => touch('setup')),
      onEndpointsChange?.(() => touch('core', 'attention', 'profiles')),
      desktop?.onChange(() => touch('settings')),
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  };
}

export function coreFacts({ context, servers, addresses, desktop }: RpcDeps): CoreFacts {
  const { config, paths, version } = context;
  const { socket, http, httpProblem } = addresses();
  return {
    version,
    configFile: config.path,
    logDir: paths.logDir,
    socket,
    http,
    httpProblem,
    storeProblems: context.health.problems,
    startedAt: context.startedAt,
    paused: servers.manager.paused,
    desktop: desktop !== undefined,
    platform: process.platform,
    configProblems: config.problems.map(describeProblem),
    configMissing: config.isMissing && config.problems.length > 0,
  };
}

export function settingsFacts({ context }: RpcDeps, desktop: Partial<SettingsFacts> | undefined): SettingsFacts {
  const { results, policy, price } = context.config.current;
  const { threshold, toon, clean, retentionDays, maxBytes, deleteOnExit } = results;
  return {
    results: { threshold, toon, clean, retentionDays, maxBytes, deleteOnExit },
    agentChanges: policy.agentChanges,
    changeRule: agentChangePolicyTexts[policy.agentChanges],
    pricePerMillion: price.perMillionTokens,
    theme: desktop?.theme ?? 'system',
    startAtLogin: desktop?.startAtLogin,
    notifications: desktop?.notifications,
    updates: desktop?.updates,
  };
}

/** Returns the user's progress in the setup. */
async function setupFacts({ servers, activity, clients, apps, offerTests }: RpcDeps): Promise<SetupFacts> {
  const found = await apps.apps();
  const offered = await apps.importableServers({}).then(
    ({ servers }) => servers.filter(({ already }) => already === undefined).length,
    () => 0,
  );
  const firstCall = await activity.log.ask('firstAppCall');
  const isConnected = found.some(({ connected }) => connected === 'yes') || clients.sessions.all.length > 0;
  const isOwnAlone = servers.manager.all.every(({ config }) => config.kind === 'builtin');
  const open = [!isConnected, isOwnAlone, firstCall === undefined].filter(Boolean).length;
  const first = firstCall && { ...firstCall, app: displayNameOf(firstCall.app) };
  return { apps: found, offered, firstCall: first, open, tests: offerTests?.all ?? [] };
}
