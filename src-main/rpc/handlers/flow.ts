/** What people are asked about data that leaves, and what they decided: never in reach of a model. */
import { nameOfApp } from '../../core/client-apps/app-limits.ts';
import type { OpenQuestion } from '../../core/trust/questions.ts';
import type { FlowOverview, FlowQuestion } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const flowHandlers = {
  flowQuestions: async (_input, { core }) => ({ questions: core.trust.questions.open().map(shownQuestion) }),
  answerFlow: async ({ id, choice, by }, { core }) => shownQuestion(core.trust.questions.answer(id, choice, by)),
  flowDecisions: async (_input, { core }) => ({ decisions: core.trust.decisions.all.toReversed().map(withAppName) }),
  forgetFlowDecision: async ({ server, destination }, { core }) => {
    await core.trust.decisions.takeBack(server, destination);
    const sentence = `Taken back: ${server} may always send to ${destination}.`;
    const id = `${server} ${destination}`;
    core.audit.note({ kind: 'decision', about: 'question', id, choice: 'undo', by: 'person', server, sentence });
    return {};
  },
  flowRecord: async (_input, { core }) => {
    const { record } = core.trust;
    const { since, week, last } = record.summary();
    return { since, week, last: last.toReversed().map(withAppName), mayOffer: mayOffer(core) };
  },
  declineFlowOffer: async (_input, { core }) => {
    core.trust.record.decline();
    return {};
  },
} satisfies Handlers;

export function flowOverview(core: RpcDeps['core']): FlowOverview {
  const { since, week } = core.trust.record.summary();
  const { mode } = core.options.config.current.flow;
  return { mode, questions: core.trust.questions.open().map(shownQuestion), since, week, mayOffer: mayOffer(core) };
}

function mayOffer({ trust, options }: RpcDeps['core']): boolean {
  return options.config.current.flow.mode === 'record' && trust.record.mayOffer;
}

function shownQuestion({ key: _key, sessionId: _sessionId, ...question }: OpenQuestion): FlowQuestion {
  return withAppName(question);
}

function withAppName<T extends { readonly app: string }>(row: T): T & { readonly appName: string } {
  return { ...row, appName: nameOfApp(row.app) };
}
