/** Dashboard requests about calls. */
import type { ActivityEntry } from '../../core/activity/call-record.ts';
import { findCall, searchCalls } from '../../core/activity/call-queries.ts';
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
    const found = await foundIn(search.text, core);
    const { calls, ...sums } = core.activity.log.query((database, stretches) =>
      searchCalls(database, { ...search, found }, range, stretches),
    );
    return { ...sums, calls: calls.slice(0, limit).map(callSummary), more: calls.length > limit };
  },
  callDetail: async ({ id }, { core }) => {
    const entry = requireCall(id, core);
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
    const texts = await callTexts(core, requireCall(id, core), [side], from);
    return texts[side];
  },
} satisfies Handlers;

/** Most calls and steps that are found by what was said in them, the newest; by their names there is no bound. */
const maxFound = 2000;

/** Ids of calls and steps in whose texts it stands. */
export async function foundIn(text: string | undefined, core: RpcDeps['core']): Promise<readonly number[]> {
  if (text === undefined || text === '') return [];
  // Texts are handed over when their records are written.
  core.activity.log.flush();
  return (await core.activity.payloads.search(text, maxFound)).ids;
}

function requireCall(id: number, core: RpcDeps['core']): ActivityEntry {
  const entry = core.activity.log.query((database) => findCall(database, id));
  if (entry !== undefined) return entry;
  throw new AppError('not_found', 'This call is no longer on record.', { fix: 'Only the latest are kept.' });
}
