/** Dashboard requests of a team about calls on all replicas: of all users for admins, of their own for members. */
import type { CoreGroups } from '../../core/edition.ts';
import type { Handlers } from '../../rpc/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import type { PayloadSide, PayloadText } from '../../rpc/contract.ts';
import type { TeamCall, CallQueries } from '../activity/call-queries.ts';
import type { UserStore } from '../users/user-store.ts';
import type { TeamActivityCache } from './team-activity-cache.ts';
import { readerOf, rowsOf, type Viewer, rowScopeOf } from './viewer.ts';

export interface CallHandlerDeps extends Pick<CoreGroups, 'calls'> {
  readonly people: Pick<UserStore, 'byName'>;
  readonly record: TeamActivityCache;
  readonly pages: CallQueries;
}

const defaultLimit = 200;

/** Returns the handlers for one viewer. */
export function teamCallHandlers(viewer: Viewer, parts: CallHandlerDeps): Handlers {
  const { pages, people, record } = parts;
  const scope = rowsOf(viewer);
  const requireCall = async (id: number): Promise<TeamCall> => {
    const call = await pages.find(scope, id);
    if (call !== undefined) return call;
    throw new AppError('not_found', 'Call not found.', { fix: 'It may have expired.' });
  };
  return {
    activity: async ({ beforeId, afterId, limit = defaultLimit, spilled, user, ...filter }) => {
      const wanted = await rowScopeOf(viewer, user, people);
      const page = await pages.page(wanted, { ...filter, isSpilled: spilled }, { beforeId, afterId, limit });
      return { ...page, calls: await record.named(scope, page.calls) };
    },
    callDetail: async ({ id }) => {
      const call = await requireCall(id);
      const [shown] = await record.named(scope, [call]);
      if (shown === undefined) throw new Error('The call has no row.');
      const serverResult = await textSent(call, viewer, parts);
      return {
        ...shown,
        hasView: false,
        payloads: { request: notRecorded, serverResult, modelResult: notRecorded },
        // Of the stages, a team's log stores only the server's time.
        stages: { resolve: 0, allow: 0, call: call.callMs, shape: 0 },
      };
    },
    callPayload: async ({ id, side }: { id: number; side: PayloadSide }) => {
      const call = await requireCall(id);
      return side === 'serverResult' ? textSent(call, viewer, parts) : notRecorded;
    },
  };
}

/** A team does not store payloads. */
const notRecorded: PayloadText = { none: 'off' };

async function textSent(
  { spillId }: TeamCall,
  viewer: Viewer,
  { calls }: Pick<CoreGroups, 'calls'>,
): Promise<PayloadText> {
  if (spillId === undefined) return notRecorded;
  const isHere = (await calls.spills.find(spillId, readerOf(viewer))) !== undefined;
  return { none: isHere ? 'spilled' : 'spill-deleted' };
}
