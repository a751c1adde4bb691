/** Summary of the last calls. */
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import type { CoreGroups } from '../../core/core-groups.ts';
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import { describeLabels } from '../../core/calls/describe-labels.ts';
import type { ActivityOverview, CallSummary } from '../contract.ts';
import type { DayOfCalls } from './savings-overview.ts';

const shownRecent = 5;
/** Number of calls searched for five different ones. */
const recentCalls = 100;
const shownServers = 5;

export async function activityOverview(
  { activity: { log } }: Pick<CoreGroups, 'activity'>,
  day: DayOfCalls,
): Promise<ActivityOverview> {
  const recent = (await log.ask('recentCalls', recentCalls)).map(callSummary);
  const costliest = (await day.servers())
    .slice(0, shownServers)
    .map(({ server, tokens, calls }) => ({ server, tokens, calls }));
  return {
    lastId: recent[0]?.id ?? 0,
    recent: groupedCalls(recent.toSorted((one, other) => other.at - one.at || other.id - one.id)),
    costliest,
  };
}

export function callSummary(entry: ActivityEntry): CallSummary {
  const { id, startedAt, app, mode, server, tool, outcome, durationMs } = entry;
  return {
    id,
    at: startedAt,
    app,
    appName: displayNameOf(app),
    mode,
    server,
    tool,
    outcome,
    durationMs,
    via: entry.via,
    preview: entry.preview ?? '',
    declared: entry.declared ?? {},
    error: entry.error?.text,
    tokens: entry.tokens,
    bytes: entry.bytes,
    spillId: entry.spillId,
    unspilled: entry.unspilled,
    repeats: entry.repeats,
    labels: describeLabels(entry.labels?.split(' ') ?? []),
  };
}

/** Combines consecutive equal calls with their count; the first few. */
export function groupedCalls(calls: readonly CallSummary[]): ActivityOverview['recent'] {
  const groups: (CallSummary & { times: number })[] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last, call)) last.times++;
    else if (groups.length === shownRecent) break;
    else groups.push({ ...call, times: 1 });
  }
  return groups;
}

function isAlike(a: CallSummary, b: CallSummary): boolean {
  return (
    a.server === b.server &&
    a.tool === b.tool &&
    a.preview === b.preview &&
    a.app === b.app &&
    a.user === b.user &&
    a.outcome === b.outcome
  );
}
