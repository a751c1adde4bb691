/** What the dashboard asks about calls. */
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { findCall, searchCalls } from '../../core/activity/call-queries.ts';
import { AppError } from '../../core/base/errors.ts';
import { callSummary } from '../slices/activity-overview.ts';
import type { Handlers, RpcDeps } from '../deps.ts';
import { callTexts } from './call-texts.ts';

const usualLimit = 200;

export const activityHandlers = {
  activity: async ({ beforeId, afterId, limit = usualLimit, ...search }, { core }) => {
    // One more than asked for tells whether there are more.
    const range = { beforeId, afterId, limit: limit + 1 };
    const { calls, ...sums } = core.activity.query((database, stretches) =>
      searchCalls(database, search, range, stretches),
    );
    return { ...sums, calls: calls.slice(0, limit).map(callSummary), more: calls.length > limit };
  },
  callDetail: async ({ id }, { core }) => {
    const entry = requireCall(id, core);
    const texts = await callTexts(core, entry, ['asked', 'sent', 'given']);
    const { resolveMs: resolve, allowMs: allow, callMs: call, shapeMs: shape } = entry;
    return {
      ...callSummary(entry),
      texts,
      stages: { resolve, allow, call, shape },
    };
  },
  callText: async ({ id, side, from }, { core }) => {
    const texts = await callTexts(core, requireCall(id, core), [side], from);
    return texts[side];
  },
} satisfies Handlers;

function requireCall(id: number, core: RpcDeps['core']): ActivityEntry {
  const entry = core.activity.query((database) => findCall(database, id));
  if (entry !== undefined) return entry;
  throw new AppError('not_found', 'This call is no longer on record.', { fix: 'Only the latest are kept.' });
}
