/** Dashboard requests of a team about sessions' steps on all replicas: all users' for admins, their own for members. */
import type { CoreGroups } from '../../core/edition.ts';
import type { Handlers } from '../../rpc/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import type { PayloadText, StepSummary } from '../../rpc/contract.ts';
import type { TeamStep, StepQueries } from '../activity/step-queries.ts';
import type { UserStore } from '../users/user-store.ts';
import type { TeamActivityCache } from './team-activity-cache.ts';
import { rowsOf, type Viewer, rowScopeOf } from './viewer.ts';

export interface StepHandlerDeps extends Pick<CoreGroups, 'clients'> {
  readonly people: Pick<UserStore, 'byName'>;
  readonly record: TeamActivityCache;
  readonly steps: StepQueries;
}

const defaultLimit = 100;
/** Teams do not store payloads. */
const notRecorded: PayloadText = { none: 'off' };

/** Handlers for one viewer. */
export function teamStepHandlers(viewer: Viewer, { clients, people, record, steps }: StepHandlerDeps): Handlers {
  const scope = rowsOf(viewer);
  const requireStep = async (id: number): Promise<TeamStep> => {
    const step = await steps.find(scope, id);
    if (step !== undefined) return step;
    throw new AppError('not_found', 'Step not found.', { fix: 'It may have expired.' });
  };
  const summaries = async (found: readonly TeamStep[]): Promise<readonly StepSummary[]> => {
    const named = await record.named(scope, found);
    return named.map(({ calls, ...step }) => {
      // A step's calls have the same owner.
      const user = step.user === undefined ? {} : { user: step.user };
      return { ...step, calls: calls.map(({ user: _user, callMs: _callMs, ...call }) => ({ ...call, ...user })) };
    });
  };
  return {
    steps: async ({ beforeId, afterId, limit = defaultLimit, user, ...search }) => {
      const wanted = await rowScopeOf(viewer, user, people);
      const page = await steps.page(wanted, search, { beforeId, afterId, limit });
      return { ...page, steps: await summaries(page.steps) };
    },
    step: async ({ id }) => {
      const [step] = await summaries([await requireStep(id)]);
      if (step === undefined) throw new Error('The step was not found.');
      return { ...step, payloads: { request: notRecorded, modelResult: notRecorded } };
    },
    stepPayload: async ({ id }) => {
      await requireStep(id);
      return notRecorded;
    },
    timelineSessions: async ({ user }) => {
      // For sessions of other replicas it is unknown which still run.
      const here = new Set(clients.sessions.all.flatMap(({ id, isHere }) => (isHere ? [id] : [])));
      const found = await steps.sessions(await rowScopeOf(viewer, user, people));
      const sessions = (await record.named(scope, found)).map((session) => ({
        ...session,
        isLive: here.has(session.id),
        // The config defines how an app is served.
        limitBytes: undefined,
      }));
      return { sessions };
    },
  };
}
