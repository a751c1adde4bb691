/** Inbox items for calls that wait for the user's approval, one per cause, and for permanent decisions. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { markInvisible } from '../../base/visible-text.ts';
import { formatCount } from '../../base/text-format.ts';
import type { DataFlowDecision, DataFlowDecisions } from '../data-flow/data-flow-decisions.ts';
import type { ApprovalChoice, PendingApproval, ApprovalQueue } from '../approvals.ts';
import { joinNames } from './entry-consequences.ts';
import type { InboxSource, UserDecision } from './inbox.ts';
import type { PastDecision, InboxAction, InboxItem, InboxPart, DecisionResult } from './inbox-item.ts';

interface QuestionSourceParts {
  readonly questions: ApprovalQueue;
  /** Permanent decisions for destinations; each can be revoked. */
  readonly decisions: DataFlowDecisions;
  /** Returns the display name of an app. */
  readonly nameOfApp: (app: string) => string;
}

/** Maximum number of approvals of one cause that are shown. */
const maxQuestions = 20;

export function createApprovalSource({ questions, decisions, nameOfApp }: QuestionSourceParts): InboxSource {
  const open = (): Map<string, PendingApproval[]> =>
    Map.groupBy(questions.pending(), ({ cause, user }) => JSON.stringify([cause, user]));
  return {
    onChange: (listener) => {
      const stops = [questions.changed.on(listener), decisions.changed.on(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    items: () => Promise.resolve([...open().values()].flatMap((pending) => itemOf(pending, nameOfApp))),
    decide: async (item, word) => {
      const before = new Set(acts(decisions).map(idOf));
      const outcome = answer(questions, item, word);
      // The requester is notified first and stores permanent decisions.
      await nextTurn();
      const [made, ...more] = acts(decisions).filter((act) => !before.has(idOf(act)));
      if (made === undefined || more.length > 0) return outcome;
      const { id, sentence } = decidedOf(made);
      return { ...outcome, sentence, undo: id };
    },
    decided: () => Promise.resolve(acts(decisions).toReversed().map(decidedOf)),
    undo: async ({ id }) => {
      const act = acts(decisions).find((one) => idOf(one) === id);
      if (act !== undefined) await decisions.revoke(act);
    },
  };
}

/** Approvals of the same cause that arrived later were not shown, and stay open. */
function answer(questions: ApprovalQueue, item: InboxItem, { action, by }: UserDecision): DecisionResult {
  const open = new Set(questions.pending().map(({ id }) => id));
  const shown = item.parts.flatMap(({ keys }) => keys);
  for (const id of shown) if (open.has(id)) questions.decide(id, action, by);
  const label = item.actions.find(({ id }) => id === action)?.label ?? action;
  return { sentence: `${label}: ${item.sentence}`, isDone: true };
}

function itemOf(pending: readonly PendingApproval[], nameOfApp: (app: string) => string): InboxItem[] {
  const [first] = pending;
  if (first === undefined) return [];
  const { id, cause, at, server, user, sentence, choices } = first;
  const apps = [...new Set(pending.map(({ app }) => markInvisible(nameOfApp(app))))];
  return [
    {
      id,
      kind: 'data-flow',
      cause,
      at,
      server,
      isGrave: false,
      title: markInvisible(sentence),
      sentence: markInvisible(sentence),
      risks: [],
      command: '',
      meanings: [],
      ...(user !== undefined && { user }),
      until: Math.min(...pending.map(({ until }) => until)),
      from: `${joinNames(apps)} ${apps.length === 1 ? 'has' : 'have'} ${formatCount(pending.length, 'call')} waiting.`,
      parts: pending.slice(0, maxQuestions).map((question) => partOf(question, nameOfApp)),
      moreParts: Math.max(0, pending.length - maxQuestions),
      actions: choices.map(actionOf).toSorted((one, other) => Number(one.isRisky) - Number(other.isRisky)),
    },
  ];
}

function actionOf({ id, label, meaning = '', risky, authority }: ApprovalChoice): InboxAction {
  return { id, label, meaning, isRisky: risky, isByPart: false, ...(authority && { authority: authority }) };
}

function partOf({ id, tool, app, details }: PendingApproval, nameOfApp: (app: string) => string): InboxPart {
  return {
    keys: [id],
    title: `${markInvisible(nameOfApp(app))}${tool === undefined ? '' : ` with ${markInvisible(tool)}`}`,
    notes: [],
    added: [],
    more: 0,
    lines: details.map(({ name, text, isPrivate }) => {
      const [what, said] = [markInvisible(name), markLines(text)];
      return { what, change: 'same', after: said, text: `${what}: ${said}`, ...(isPrivate && { isPrivate }) };
    }),
  };
}

/** Marks invisible characters, except line breaks, because arguments are formatted. */
function markLines(text: string): string {
  return text.split('\n').map(markInvisible).join('\n');
}

/** The decisions of one approval; a call with two destinations asks once. */
type Act = readonly [DataFlowDecision, ...DataFlowDecision[]];

/** Oldest first. */
function acts({ all }: DataFlowDecisions): readonly Act[] {
  const together = Map.groupBy(all, ({ server, at, app }) => JSON.stringify([server, at, app]));
  return [...together.values()].map((act) => act as [DataFlowDecision, ...DataFlowDecision[]]);
}

function decidedOf(act: Act): PastDecision {
  const [{ server, at, by = '' }] = act;
  const deeds = joinNames(act.map(({ destination }) => actionText(destination)));
  const sentence = `${markInvisible(server)} may ${deeds} without approval.`;
  return { id: idOf(act), kind: 'data-flow', at, by, server, sentence, undo: 'Approval is required again.' };
}

function actionText(destination: string): string {
  const [kind = '', ...rest] = destination.split(' ');
  const place = markInvisible(rest.join(' '));
  return kind === 'secret' ? `send what looks like a ${place}` : `send to ${place}`;
}

function idOf(act: Act): string {
  return createHash('sha256')
    .update(JSON.stringify(act.map(({ server, destination }) => [server, destination])))
    .digest('hex')
    .slice(0, 8);
}

/** Describes permanent decisions in words. */
export function describeAllowed(decided: readonly DataFlowDecision[]): string {
  const [first] = decided;
  return first === undefined ? '' : decidedOf([first, ...decided.slice(1)]).sentence;
}
