/** Dashboard requests about calls. */
import type { CoreGroups } from '../../core/core-groups.ts';
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { AppError } from '../../core/base/errors.ts';
import { callSummary } from '../state/activity-overview.ts';
import type { Handlers } from '../deps.ts';
import { hasView } from './app-views.ts';
import { callTexts } from './call-payloads.ts';

const defaultLimit = 200;

export const activityHandlers = {
  activity: async ({ beforeId, afterId, limit = defaultLimit, ...search }, { activity }) => {
    // One more than the limit, to detect whether more follow.
    const range = { beforeId, afterId, limit: limit + 1 };
    const { calls, snippets, ...sums } = await activity.log.ask('searchCalls', search, range);
    const page = calls.slice(0, limit).map((call) => ({ ...callSummary(call), snippet: snippets.get(call.id) }));
    return { ...sums, calls: page, more: calls.length > limit };
  },
  callDetail: async ({ id }, { servers, calls, activity, clients }) => {
    const entry = await requireCall(id, { activity });
    const texts = await callTexts({ calls, activity }, entry, ['request', 'serverResult', 'modelResult']);
    return {
      ...callSummary(entry),
      hasView: hasView(entry.server, entry.tool, { servers, clients }),
      payloads: texts,
      stages: entry.stages,
    };
  },
  callPayload: async ({ id, side, from }, { calls, activity }) => {
    const texts = await callTexts({ calls, activity }, await requireCall(id, { activity }), [side], from);
    return texts[side];
  },
} satisfies Handlers;

async function requireCall(id: number, { activity }: Pick<CoreGroups, 'activity'>): Promise<ActivityEntry> {
  const entry = await activity.log.ask('findCall', id);
  if (entry !== undefined) return entry;
  throw new AppError('not_found', 'This call is no longer available.', {
    fix: 'Only the most recent calls are retained.',
  });
}
