/** Dashboard requests about the steps of client apps' sessions. */
import type { CoreGroups } from '../../core/core-groups.ts';
import type { RunningStep, StepLog } from '../../core/activity/steps/step-log.ts';
import type { SessionRow, StepSearch, StepTotals } from '../../core/activity/activity-worker/step-search.ts';
import type { StepRow } from '../../core/activity/activity-worker/step-table.ts';
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { AppError } from '../../core/base/errors.ts';
import { markInvisible } from '../../core/base/visible-text.ts';
import { configuredThreshold } from '../../core/calls/shape-result.ts';
import { appTraits, hasModel, displayNameOf } from '../../core/client-apps/app-traits.ts';
import type { PayloadText, OpenStepSummary, SavingsSummary, StepSummary, TimelineSession } from '../contract.ts';
import type { Handlers } from '../deps.ts';
import { callSummary } from '../state/activity-overview.ts';
import { savingsPeriods, savingsSummary } from '../state/savings-overview.ts';
import { callTexts, payloadParts } from './call-payloads.ts';

const defaultLimit = 100;
const maxSessions = 100;
/** Number of calls returned with a step of a page; all are returned with a single step. */
const fewCalls = 5;
const manyCalls = 1000;
/** Number of newest sessions that filters apply to. */
const maxScannedSessions = 10_000;

export const timelineHandlers = {
  steps: async ({ beforeId, afterId, limit = defaultLimit, ...search }, { activity }) => {
    const savings = beforeId === undefined && isPeriod(search) ? await activity.ledger.savings(search) : undefined;
    const range = { before: beforeId, after: afterId, limit };
    const { steps: rows, calls, snippets, ...page } = await activity.log.ask('searchSteps', search, range, fewCalls);
    return {
      ...page,
      ...(savings !== undefined && { unrecorded: unrecordedSavings(page.sums, savingsSummary(savings)) }),
      steps: rows.map((row) => ({ ...stepSummary(row, calls.get(row.id) ?? []), snippet: snippets.get(row.id) })),
    };
  },
  step: async ({ id }, { calls, activity }) => {
    const found = await requireStep(id, { activity });
    const [request, modelResult] = await Promise.all([
      textOf(found, 'request', 0, { calls, activity }),
      textOf(found, 'modelResult', 0, { calls, activity }),
    ]);
    return { ...stepSummary(found.step, found.calls), payloads: { request, modelResult } };
  },
  stepPayload: async ({ id, side, from }, { calls, activity }) =>
    textOf(await requireStep(id, { activity }), side, from, { calls, activity }),
  cancelStep: async ({ id }, { activity }) => {
    const open = activity.timeline.running.find(({ exchange }) => exchange.id === id);
    if (open === undefined) {
      throw new AppError('not_found', 'This step has finished.', { fix: 'See the list for its outcome.' });
    }
    const { exchange } = open;
    if (exchange.canceller === undefined) throw new AppError('unsupported', 'This step cannot be cancelled.');
    exchange.canceller.cancel(exchange);
    return {};
  },
  timelineSessions: async (_, { context, activity, clients }) => ({
    sessions: (await timelineSessions({ context, activity, clients })).sessions,
  }),
} satisfies Handlers;

/** Sessions with the newest steps first; `isWanted`: filter, applied to the newest sessions. */
export async function timelineSessions(
  { context, activity, clients }: Pick<CoreGroups, 'context' | 'activity' | 'clients'>,
  most = maxSessions,
  isWanted?: (session: Pick<TimelineSession, 'app' | 'appName' | 'mode'>) => boolean,
): Promise<{ readonly sessions: readonly TimelineSession[]; readonly lookedThrough?: number }> {
  const here = new Map(clients.sessions.all.filter(({ isHere }) => isHere).map((session) => [session.id, session]));
  const { results } = context.config.current;
  const modeOf = ({ sessionId, mode }: { readonly sessionId: string; readonly mode: string }): string =>
    here.get(sessionId)?.view.mode ?? mode;
  const found = await activity.log.ask('recentSessions', isWanted === undefined ? most : maxScannedSessions);
  const { sessions, ...page } =
    isWanted === undefined
      ? { sessions: found }
      : matching(found, most, (row) => isWanted({ app: row.app, appName: displayNameOf(row.app), mode: modeOf(row) }));
  const rows = sessions.map(({ sessionId, app, from, to, steps, given, ...row }) => ({
    id: sessionId,
    app,
    appName: displayNameOf(app),
    from,
    to,
    steps,
    given,
    mode: modeOf({ sessionId, ...row }),
    isLive: here.has(sessionId),
    limitBytes: hasModel(app) ? (configuredThreshold(app, results) ?? appTraits(app).inlineBytes) : undefined,
  }));
  return { sessions: rows, ...page };
}

/** The first matching sessions, and the number searched if more may match. */
function matching(
  sessions: readonly SessionRow[],
  most: number,
  isWanted: (session: SessionRow) => boolean,
): { readonly sessions: readonly SessionRow[]; readonly lookedThrough?: number } {
  const wanted = sessions.filter(isWanted).slice(0, most);
  const isCut = wanted.length < most && sessions.length === maxScannedSessions;
  return { sessions: wanted, ...(isCut && { lookedThrough: maxScannedSessions }) };
}

/** Whether the search covers all steps of a period, for which savings are reported. */
function isPeriod({ since, ...rest }: StepSearch): boolean {
  return Object.values(rest).every((one) => one === undefined) && Object.values(savingsPeriods()).includes(since);
}

function unrecordedSavings(
  { baseline, loaded }: StepTotals,
  summary: Pick<SavingsSummary, 'withoutTooltray' | 'withTooltray'>,
): { readonly withoutTooltray: number; readonly withTooltray: number } {
  return { withoutTooltray: summary.withoutTooltray - baseline, withTooltray: summary.withTooltray - loaded };
}

interface FoundStep {
  readonly step: StepRow;
  readonly calls: readonly ActivityEntry[];
}

async function requireStep(id: number, { activity }: Pick<CoreGroups, 'activity'>): Promise<FoundStep> {
  const found = await activity.log.ask('findStep', id, manyCalls);
  if (found === undefined) throw gone();
  return found;
}

function gone(): AppError {
  return new AppError('not_found', 'This step is no longer available.', {
    fix: 'Only the most recent steps are retained.',
  });
}

/** The step's own payload, or its only call's if they are equal. */
async function textOf(
  { step: { id, startedAt, dropReason }, calls: [only] }: FoundStep,
  side: 'request' | 'modelResult',
  from: number,
  { calls, activity }: Pick<CoreGroups, 'calls' | 'activity'>,
): Promise<PayloadText> {
  if (dropReason === 'call') {
    if (only === undefined) return { none: 'gone' };
    const { [side]: text } = await callTexts({ calls, activity }, only, [side], from);
    if (side === 'request' || !('none' in text) || text.none !== 'same') return text;
    return (await callTexts({ calls, activity }, only, ['serverResult'], from)).serverResult;
  }
  return (await payloadParts({ activity }, { id, startedAt, dropReason }, [side], from))[side];
}

function stepSummary(row: StepRow, calls: readonly ActivityEntry[]): StepSummary {
  const { id, startedAt, sessionId, app, mode, kind, name, what, durationMs, outcome, errorText } = row;
  return {
    id,
    at: startedAt,
    sessionId,
    app,
    appName: displayNameOf(app),
    mode,
    kind,
    durationMs,
    outcome,
    name: markInvisible(name),
    what: markInvisible(what),
    error: errorText && markInvisible(errorText),
    requestBytes: row.requestBytes,
    modelBytes: row.modelResultBytes,
    given: row.given,
    raw: row.raw,
    baseline: row.baseline,
    loaded: row.loaded,
    callCount: row.calls,
    calls: calls.map(callSummary),
  };
}

/** Steps that have been running long enough to show, oldest first; a few, and the number of others. */
export function openSteps(
  timeline: Pick<StepLog, 'running' | 'persistRunning' | 'words'>,
  now: number,
): { readonly open: readonly OpenStepSummary[]; readonly more: number } {
  const old = timeline.running.filter(({ exchange }) => now - exchange.startedAt >= minShownMs);
  const shown = old.slice(0, maxShown);
  timeline.persistRunning(shown);
  return { open: shown.map((step) => openSummary(step, timeline)), more: Math.max(0, old.length - maxShown) };
}

/** In ms: quicker steps are shown when they end. */
const minShownMs = 150;
const maxShown = 20;

function openSummary({ exchange, owner }: RunningStep, timeline: Pick<StepLog, 'words'>): OpenStepSummary {
  const { id, startedAt, progress, finishedCalls, canceller } = exchange;
  const { sessionId, app, mode } = owner();
  const { kind, name, what } = timeline.words(exchange, mode);
  return {
    id,
    at: startedAt,
    sessionId,
    app,
    appName: displayNameOf(app),
    mode,
    kind,
    name: markInvisible(name),
    what: markInvisible(what),
    callCount: finishedCalls.length,
    canCancel: canceller !== undefined,
    ...(progress !== undefined && { progress }),
  };
}
