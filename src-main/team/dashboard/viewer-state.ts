/**
 * The state that one viewer of a team is shown: an admin's is everybody's, a member's their own. A slice that has rows of people is built
 * here and nowhere else, and one that nobody thought of does not compile.
 */
import type { Aggregator } from '../../core/aggregator.ts';
import type { AppState, AttentionItem } from '../../rpc/contract.ts';
import { coreFacts, settingsFacts } from '../../rpc/build-state.ts';
import { noApps, type RpcDeps, serverStatuses, sessionStatus } from '../../rpc/deps.ts';
import { flowOverview } from '../../rpc/handlers/flow.ts';
import { inboxSummary } from '../../rpc/handlers/inbox.ts';
import { profilesOverview } from '../../rpc/handlers/profiles.ts';
import { attentionItems } from '../../rpc/slices/attention.ts';
import { ListTokens } from '../../rpc/slices/list-tokens.ts';
import { modesOverview } from '../../rpc/slices/modes-overview.ts';
import { serverRows } from '../../rpc/slices/server-rows.ts';
import type { SliceBuilders, Source } from '../../rpc/state-publisher.ts';
import type { AnswerRows } from '../answers/answer-rows.ts';
import { scopeOfViewer } from './team-questions.ts';
import type { TeamRecord } from './team-record.ts';
import { isAdmin, readerOf, rowsOf, type Viewer } from './viewer.ts';

export interface ViewerStateParts {
  readonly deps: RpcDeps;
  readonly record: TeamRecord;
  readonly answers: AnswerRows;
}

/** What other replicas did is seen when it is looked for, this often, in ms. */
const lookMs = 5_000;

export function viewerState(viewer: Viewer, { deps, record, answers }: ViewerStateParts): SliceBuilders {
  const { core } = deps;
  const whose = rowsOf(viewer);
  const tokens = new ListTokens(core);
  const isForAdmin = isAdmin(viewer);
  const facts = (): AppState['core'] => (isForAdmin ? coreFacts(deps) : { ...coreFacts(deps), ...withoutPlaces });
  const inbox = async (): Promise<AppState['inbox']> =>
    isForAdmin ? (await core.inbox.items()).map(inboxSummary) : [];
  return {
    core: facts,
    servers: async () => {
      const rows = serverRows(core, { day: { servers: await record.servers(whose) }, tokens });
      return isForAdmin ? rows : membersRows(rows, viewer, core);
    },
    sessions: () => core.sessions.all.filter((one) => one.isHere && sees(viewer, one)).map(sessionStatus),
    attention: async () =>
      isForAdmin
        ? attentionItems({ core: facts(), servers: serverStatuses(core), inbox: await inbox(), apps: [] }).map(mendable)
        : [],
    inbox,
    flow: () => (isForAdmin ? flowOverview(core) : { ...flowOverview(core), ...noFlow }),
    profiles: () => (isForAdmin ? { ...profilesOverview(deps), tokens: [] } : { profiles: [], tokens: [] }),
    savings: () => record.savingsOverview(whose, core),
    activity: () => record.overview(whose),
    // What runs now is told where it is over: it may be at any replica.
    timeline: async () => ({ revision: await record.lastStep(whose), open: [], more: 0 }),
    spills: async () => {
      const { maxBytes, maxCount, keepDays } = core.options.config.current.results;
      const own = await answers.usage(readerOf(viewer));
      return { ...own, maxBytes, maxCount, keepDays, revision: core.spills.revision };
    },
    setup: () => ({ apps: [], offered: 0, firstCall: undefined, open: 0 }),
    access: () => noApps.access(),
    modes: () => modesOverview(core),
    settings: () => settingsFacts(deps, undefined),
    team: () => ({ person: viewer.name, role: viewer.role }),
  };
}

export function viewerSource({ deps: { core } }: ViewerStateParts): Source {
  return (touch) => {
    const looking = setInterval(() => touch('activity', 'timeline', 'savings', 'servers', 'spills'), lookMs).unref();
    const stops = [
      core.servers.changed.on(() => touch('servers', 'attention', 'core')),
      core.catalog.changed.on(() => touch('servers', 'modes')),
      core.sessions.changed.on(() => touch('sessions')),
      core.options.config.changed.on(() => touch('core', 'servers', 'modes', 'settings', 'flow', 'profiles')),
      core.options.config.problemsChanged.on(() => touch('core', 'attention')),
      core.inbox.changed.on(() => touch('inbox', 'attention')),
      core.spills.changed.on(() => touch('spills')),
      core.trust.record.changed.on(() => touch('flow')),
    ];
    return () => {
      clearInterval(looking);
      for (const stop of stops) stop();
    };
  };
}

/** A server's entry, secrets and log are not the dashboard's: what is wrong is said among the servers. */
function mendable(item: AttentionItem): AttentionItem {
  const isDone = item.server === undefined || item.action.kind === 'retry' || item.action.kind === 'sign-in';
  return isDone ? item : { ...item, action: { kind: 'view-log', label: 'See servers' } };
}

/** Of this computer, which is none of theirs. */
const withoutPlaces = { configFile: '', logDir: '', socket: '', configProblems: [] } as const;
const noFlow = { week: { asked: 0, allowed: 0, denied: 0, recorded: 0 }, mayOffer: false };

function sees(viewer: Viewer, session: { isOfPerson(person: { tenant: string; user: string }): boolean }): boolean {
  return isAdmin(viewer) || session.isOfPerson(viewer);
}

/** How they fare, not how they are run: command lines, causes in their own words and what others are shown are an admin's. */
function membersRows(rows: AppState['servers'], viewer: Viewer, core: Aggregator): AppState['servers'] {
  const scope = scopeOfViewer(viewer, core);
  return rows
    .filter(({ name }) => scope.hasServer(name))
    .map(({ action: _action, signedIn: _signedIn, ...row }) => ({
      ...row,
      ...{ endpoint: '', detail: '', listed: [] },
    }));
}
