/** Sessions step by step, as the dashboard of a team asks of them: from the record of all replicas, an admin's everybody's, a member's their own. */
import { AppError } from '../../core/base/errors.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import type { CallText, StepSummary } from '../../rpc/contract.ts';
import type { Handlers } from '../../rpc/deps.ts';
import type { StepOfTeam, StepPages } from '../activity/step-pages.ts';
import type { People } from '../people/people.ts';
import type { TeamRecord } from './team-record.ts';
import { rowsOf, type Viewer, whoseOf } from './viewer.ts';

export interface StepParts {
  readonly core: Pick<Aggregator, 'sessions'>;
  readonly people: Pick<People, 'named'>;
  readonly record: TeamRecord;
  readonly steps: StepPages;
}

const usualLimit = 100;
/** A team keeps no texts of what was said. */
const unkept: CallText = { none: 'off' };

/** Answers of one viewer. */
export function stepQuestions(viewer: Viewer, { core, people, record, steps }: StepParts): Handlers {
  const whose = rowsOf(viewer);
  const requireStep = async (id: number): Promise<StepOfTeam> => {
    const step = await steps.find(whose, id);
    if (step !== undefined) return step;
    throw new AppError('not_found', 'This step is not on record.', { fix: 'It may be too old.' });
  };
  const told = async (found: readonly StepOfTeam[]): Promise<readonly StepSummary[]> => {
    const named = await record.named(whose, found);
    return named.map(({ calls, ...step }) => {
      // Its calls are whose it is.
      const person = step.person === undefined ? {} : { person: step.person };
      return { ...step, calls: calls.map(({ user: _user, callMs: _callMs, ...call }) => ({ ...call, ...person })) };
    });
  };
  return {
    steps: async ({ beforeId, afterId, limit = usualLimit, person, ...search }) => {
      const wanted = await whoseOf(viewer, person, people);
      const page = await steps.page(wanted, search, { beforeId, afterId, limit });
      return { ...page, steps: await told(page.steps) };
    },
    step: async ({ id }) => {
      const [step] = await told([await requireStep(id)]);
      if (step === undefined) throw new Error('A step that was found is told.');
      return { ...step, texts: { asked: unkept, given: unkept } };
    },
    stepText: async ({ id }) => {
      await requireStep(id);
      return unkept;
    },
    timelineSessions: async ({ person }) => {
      // Of other replicas it is not known which go on.
      const here = new Set(core.sessions.all.flatMap(({ id, isHere }) => (isHere ? [id] : [])));
      const found = await steps.sessions(await whoseOf(viewer, person, people));
      const sessions = (await record.named(whose, found)).map((session) => ({
        ...{ ...session, isLive: here.has(session.id) },
        // How an app is served is said in the config.
        limitBytes: undefined,
      }));
      return { sessions };
    },
  };
}
