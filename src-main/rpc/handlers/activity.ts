/** Dashboard requests about calls. */
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { AppError } from '../../core/base/errors.ts';
import { callSummary } from '../state/activity-overview.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { hasView } from './app-views.ts';
import { callTexts } from './call-payloads.ts';

const defaultLimit = 200;

export const activityHandlers = {
  activity: async ({ beforeId, afterId, limit = defaultLimit, ...search }, { core }) => {
    // One more than asked for tells whether there are more.
    const range = { beforeId, afterId, limit: limit + 1 };
    const { calls, ...sums } = await core.activity.log.ask('searchCalls', search, range);
    return { ...sums, calls: calls.slice(0, limit).map(callSummary), more: calls.length > limit };
  },
  callDetail: async ({ id }, { core }) => {
    const entry = await requireCall(id, core);
    const texts = await callTexts(core, entry, ['asked', 'sent', 'given']);
    const { resolveMs: resolve, allowMs: allow, callMs: call, shapeMs: shape } = entry;
    return {
      ...callSummary(entry),
      hasView: hasView(entry.server, entry.tool, core),
      texts,
      stages: { resolve, allow, call, shape },
    };
  },
  callText: async ({ id, side, from }, { core }) => {
    const texts = await callTexts(core, await requireCall(id, core), [side], from);
    return texts[side];
  },
} satisfies Handlers;

async function requireCall(id: number, core: RpcDeps['core']): Promise<ActivityEntry> {
  const entry = await core.activity.log.ask('findCall', id);
  if (entry !== undefined) return entry;
  throw new AppError('not_found', 'This call is no longer on record.', { fix: 'Only the latest are kept.' });
}
