/** What the dashboard asks about calls. */
import { markSteering } from '../../core/base/shown-text.ts';
import { findCall, searchCalls } from '../../core/activity/call-queries.ts';
import { AppError } from '../../core/base/errors.ts';
import { callSummary } from '../slices/activity-overview.ts';
import type { Handlers } from '../deps.ts';

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
    const entry = core.activity.query((database) => findCall(database, id));
    if (entry === undefined) {
      throw new AppError('not_found', 'This call is no longer on record.', { fix: 'Only the latest are kept.' });
    }
    const detail = core.details.find(id);
    const { resolveMs: resolve, allowMs: allow, callMs: call, shapeMs: shape } = entry;
    return {
      ...callSummary(entry),
      // What nobody would see stands as a mark: here a person looks for what a model read.
      ...markSteering({
        arguments: detail?.arguments,
        sent: detail?.sent,
        given: detail?.given ?? detail?.sent,
      }),
      stages: { resolve, allow, call, shape },
    };
  },
} satisfies Handlers;
