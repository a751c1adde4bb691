/** Which part of the core each slice of the state comes from, and what makes it change. */
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
  const { core, apps, desktop } = deps;
  const day = new DayOfCalls(core.activity.log);
  const tokens = new ListTokens(core);
  const inbox = async (): Promise<AppState['inbox']> => (await core.trust.inbox.items()).map(inboxSummary);
  return {
    core: () => coreFacts(deps),
    servers: () => serverRows(core, { day, tokens }),
    sessions: () => sessionStatuses(core),
    attention: async () =>
      attentionItems({
        core: coreFacts(deps),
        servers: serverStatuses(core),
        inbox: await inbox(),
        apps: await apps.apps(),
        home: core.trust.home.facts,
      }),
    inbox,
    dataFlow: () => dataFlowOverview(core),
    profiles: () => profilesOverview(deps),
    savings: () => savingsOverview(core, (question) => core.activity.ledger.savings(question)),
    activity: () => activityOverview(core, day),
    timeline: () => ({ revision: core.activity.timeline.revision, ...openSteps(core.activity.timeline, Date.now()) }),
    spills: async () => ({ ...(await core.calls.spills.usage()), revision: core.calls.spills.revision }),
    setup: () => setupFacts(deps),
    access: () => apps.access(),
    modes: () => modesOverview(core),
    settings: () => settingsFacts(deps, desktop?.settings()),
    team: () => null,
  };
}

export function stateSource({ core, apps, offerTests, desktop, onEndpointsChange }: RpcDeps): Source {
  return (touch) => {
    const stops = [
      core.servers.manager.changed.on(() => touch('servers', 'attention', 'core')),
      core.servers.signIns.changed.on(() => touch('servers', 'attention')),
      core.calls.catalog.changed.on(() => touch('servers', 'modes')),
      core.clients.sessions.changed.on(() => touch('sessions', 'servers', 'setup', 'access')),
      core.context.config.changed.on(() =>
        touch('core', 'servers', 'modes', 'settings', 'spills', 'savings', 'inbox', 'dataFlow', 'profiles'),
      ),
      core.context.config.problemsChanged.on(() => touch('core', 'attention')),
      core.trust.home.changed.on(() => touch('attention')),
      core.context.health.changed.on(() => touch('core', 'attention')),
      core.trust.inbox.changed.on(() => touch('inbox', 'attention')),
      core.activity.log.changed.on(() => touch('activity', 'savings', 'servers', 'setup', 'sessions')),
      core.activity.timeline.changed.on(() => touch('timeline')),
      core.calls.spills.changed.on(() => touch('spills')),
      core.trust.dataFlow.record.changed.on(() => touch('dataFlow')),
      core.clients.profileTokens.changed.on(() => touch('profiles')),
      core.servers.healing.changed.on(() => touch('servers', 'attention')),
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

export function coreFacts({ core, doors, desktop }: RpcDeps): CoreFacts {
  const { config, paths, version } = core.context;
  const { socket, http, httpProblem } = doors();
  return {
    version,
    configFile: config.path,
    logDir: paths.logDir,
    socket,
    http,
    httpProblem,
    storeProblems: core.context.health.problems,
    startedAt: core.context.startedAt,
    paused: core.servers.manager.paused,
    desktop: desktop !== undefined,
    platform: process.platform,
    configProblems: config.problems.map(describeProblem),
    configMissing: config.isMissing && config.problems.length > 0,
  };
}

export function settingsFacts({ core }: RpcDeps, desktop: Partial<SettingsFacts> | undefined): SettingsFacts {
  const { results, policy, price } = core.context.config.current;
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

/** How far a person has come with setting up. */
async function setupFacts({ core, apps, offerTests }: RpcDeps): Promise<SetupFacts> {
  const found = await apps.apps();
  const offered = await apps.offeredServers({}).then(
    ({ servers }) => servers.filter(({ already }) => already === undefined).length,
    () => 0,
  );
  const firstCall = await core.activity.log.ask('firstAppCall');
  const isConnected = found.some(({ connected }) => connected === 'yes') || core.clients.sessions.all.length > 0;
  const isOwnAlone = core.servers.manager.all.every(({ config }) => config.kind === 'builtin');
  const open = [!isConnected, isOwnAlone, firstCall === undefined].filter(Boolean).length;
  const first = firstCall && { ...firstCall, app: displayNameOf(firstCall.app) };
  return { apps: found, offered, firstCall: first, open, tests: offerTests?.all ?? [] };
}
