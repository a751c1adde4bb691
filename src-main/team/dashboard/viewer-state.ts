/**
 * The state shown to one viewer of a team: of all users for admins, their own for members. Every slice with user data
 * is built here, and a missing one does not compile.
 */
import { type CoreGroups, placementOf } from '../../core/edition.ts';
import {
  attentionItems,
  coreFacts,
  dataFlowOverview,
  ListTokens,
  modesOverview,
  noApps,
  profilesOverview,
  type RpcDeps,
  serverRows,
  serverStatuses,
  sessionStatus,
  settingsFacts,
  type SliceBuilders,
  type Source,
  unhealthyFirst,
} from '../../rpc/edition.ts';
import type { AppState, AttentionItem, ServerStatus } from '../../rpc/contract.ts';
import type { SpillTable } from '../spills/spill-table.ts';
import type { Heartbeat } from '../replicas/heartbeat.ts';
import type { InboxService } from './inbox-service.ts';
import { statusByReplica, aggregateReplicas, aggregateRunners } from './aggregate-status.ts';
import { scopeOfViewer } from './team-rpc-handlers.ts';
import type { TeamActivityCache } from './team-activity-cache.ts';
import { isAdmin, readerOf, rowsOf, type Viewer } from './viewer.ts';

export interface ViewerStateDeps {
  readonly deps: RpcDeps;
  readonly record: TeamActivityCache;
  readonly spills: SpillTable;
  readonly heartbeat: Pick<Heartbeat, 'all' | 'changed'>;
  /** Whether a user's own process of a server runs. */
  readonly hasProcess: (user: string, server: string) => boolean;
  readonly inbox: Pick<InboxService, 'waiting'>;
}

/** Interval of polling for changes by other replicas, in ms. */
const pollIntervalMs = 5_000;

export function viewerState(viewer: Viewer, parts: ViewerStateDeps): SliceBuilders {
  const { deps, record, spills, inbox } = parts;
  const { context, calls, clients } = deps;
  const scope = rowsOf(viewer);
  const tokens = new ListTokens(deps);
  const isForAdmin = isAdmin(viewer);
  const facts = (): AppState['core'] => (isForAdmin ? coreFacts(deps) : { ...coreFacts(deps), ...withoutPaths });
  return {
    core: facts,
    servers: async () => {
      const here = await serverRows(deps, { day: { servers: () => record.servers(scope) }, tokens });
      const rows = overReplicas(here, viewer, parts).toSorted(unhealthyFirst);
      return isForAdmin ? rows : membersRows(rows, viewer, deps);
    },
    sessions: () => clients.sessions.all.filter((one) => one.isHere && isVisibleTo(viewer, one)).map(sessionStatus),
    attention: async () => {
      // Members see servers and settings on their own pages only.
      const servers = isForAdmin ? overReplicas(serverStatuses(deps), viewer, parts) : [];
      const ofCore = isForAdmin ? facts() : { ...facts(), paused: false, httpProblem: '', storeProblems: [] };
      return attentionItems({ core: ofCore, servers, inbox: await inbox.waiting(), apps: [] }).map(isRetryable);
    },
    inbox: () => inbox.waiting(),
    dataFlow: () => (isForAdmin ? dataFlowOverview(deps) : { ...dataFlowOverview(deps), ...noFlow }),
    profiles: () => (isForAdmin ? { ...profilesOverview(deps), tokens: [] } : { profiles: [], tokens: [] }),
    savings: () => record.savingsOverview(scope, deps),
    activity: () => record.overview(scope),
    // Running steps are reported once they end, because they may run on any replica.
    timeline: async () => ({ revision: await record.lastStep(scope), open: [], more: 0 }),
    spills: async () => {
      const { maxBytes, maxCount, retentionDays } = context.config.current.results;
      const own = await spills.usage(readerOf(viewer));
      return { ...own, maxBytes, maxCount, retentionDays, revision: calls.spills.revision };
    },
    setup: () => ({ apps: [], offered: 0, firstCall: undefined, open: 0, tests: [] }),
    access: () => noApps.access(),
    modes: () => modesOverview(deps),
    settings: () => settingsFacts(deps, undefined),
    team: () => ({ user: viewer.name, role: viewer.role }),
  };
}

export function viewerSource({ deps, heartbeat }: ViewerStateDeps): Source {
  const { context, servers, calls, clients, trust } = deps;
  return (touch) => {
    const looking = setInterval(
      () => touch('activity', 'timeline', 'savings', 'servers', 'spills'),
      pollIntervalMs,
    ).unref();
    const stops = [
      servers.manager.changed.on(() => touch('servers', 'attention', 'core')),
      heartbeat.changed.on(() => touch('servers', 'attention')),
      calls.catalog.changed.on(() => touch('servers', 'modes')),
      clients.sessions.changed.on(() => touch('sessions')),
      context.config.changed.on(() => touch('core', 'servers', 'modes', 'settings', 'dataFlow', 'profiles')),
      context.config.problemsChanged.on(() => touch('core', 'attention')),
      trust.inbox.changed.on(() => touch('inbox', 'attention')),
      calls.spills.changed.on(() => touch('spills')),
      trust.dataFlow.record.changed.on(() => touch('dataFlow')),
    ];
    return () => {
      clearInterval(looking);
      for (const stop of stops) stop();
    };
  };
}

/**
 * Servers' status on all replicas, or on the runners of users' processes: of all users for an admin, their own for a
 * member.
 */
function overReplicas<Row extends ServerStatus>(
  here: readonly Row[],
  viewer: Viewer,
  { deps, hasProcess, heartbeat }: ViewerStateDeps,
): readonly Row[] {
  const { all } = heartbeat;
  const isOwn = !isAdmin(viewer);
  return here.map((row): Row => {
    const config = deps.servers.manager.find(row.name)?.config;
    const status = statusByReplica(row.name, all);
    const own = hasProcess(viewer.user, row.name) ? [{ name: '', users: 1 }] : [];
    const aggregated = aggregateReplicas(row, status);
    const isPersonal = config?.enabled === true && placementOf(config).placement === 'per-user';
    const isIll = status.replicas.some(({ state }) => state === 'error');
    return {
      ...row,
      ...(isPersonal ? aggregateRunners(aggregated, isOwn ? own : status.runners, isOwn) : aggregated),
      ...(isIll && row.action === undefined && { action: tryAgain }),
    };
  });
}

const tryAgain = { kind: 'retry', label: 'Retry' } as const;

/** The dashboard cannot change a server's entry and secrets; other problems are shown with the servers. */
function isRetryable(item: AttentionItem): AttentionItem {
  const isDone = item.server === undefined || item.action.kind === 'retry' || item.action.kind === 'sign-in';
  return isDone ? item : { ...item, action: { kind: 'view-log', label: 'View log' } };
}

/** Empty, because viewers do not use this computer. */
const withoutPaths = { configFile: '', logDir: '', socket: '', configProblems: [], storeProblems: [] } as const;
const noFlow = { week: { asked: 0, allowed: 0, denied: 0, recorded: 0 }, canOfferApproval: false };

function isVisibleTo(viewer: Viewer, session: { isOfPerson(person: { user: string }): boolean }): boolean {
  return isAdmin(viewer) || session.isOfPerson(viewer);
}

/** Members see the status, but not command lines, error texts, and what others are shown. */
function membersRows(
  rows: AppState['servers'],
  viewer: Viewer,
  { context }: Pick<CoreGroups, 'context'>,
): AppState['servers'] {
  const scope = scopeOfViewer(viewer, { context });
  return rows
    .filter(({ name }) => scope.hasServer(name))
    .map(({ action: _action, signedIn: _signedIn, ...row }) => ({
      ...row,
      endpoint: '',
      detail: '',
      listed: [],
    }));
}
