/** Calls in flight that wait for the person's word, as items of the inbox: those with one cause are one. And what was allowed for good. */
import { createHash } from 'node:crypto';
import { markHidden } from '../../base/shown-text.ts';
import { count } from '../../base/wording.ts';
import type { FlowDecision, FlowDecisions } from '../flow/flow-decisions.ts';
import type { Choice, OpenQuestion, Questions } from '../questions.ts';
import { listed } from './entry-meanings.ts';
import type { InboxSource, PersonsWord } from './inbox.ts';
import type { Decided, InboxAction, InboxItem, InboxPart, Outcome } from './inbox-item.ts';

interface QuestionSourceParts {
  readonly questions: Questions;
  /** "Always for this destination": each can be taken back. */
  readonly decisions: FlowDecisions;
  /** As people call an app. */
  readonly nameOfApp: (app: string) => string;
}

/** Questions of one cause that are shown; their details are cut by who keeps them. */
const mostQuestions = 20;

export function questionSource({ questions, decisions, nameOfApp }: QuestionSourceParts): InboxSource {
  const open = (): Map<string, OpenQuestion[]> => Map.groupBy(questions.open(), ({ cause }) => cause);
  return {
    onChange: (listener) => {
      const stops = [questions.changed.on(listener), decisions.changed.on(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    items: () => Promise.resolve([...open().values()].flatMap((asked) => itemOf(asked, nameOfApp))),
    decide: (item, word) => Promise.resolve(answer(questions, item, word)),
    decided: () => Promise.resolve(decisions.all.toReversed().map(decidedOf)),
    undo: async ({ id }) => {
      const decision = decisions.all.find((one) => idOf(one) === id);
      if (decision !== undefined) await decisions.takeBack(decision.server, decision.destination);
    },
  };
}

/** Those of the cause that came since were not shown, and are asked on. */
function answer(questions: Questions, item: InboxItem, { action, by }: PersonsWord): Outcome {
  const where = by === 'command line' ? 'command line' : 'dashboard';
  const open = new Set(questions.open().map(({ id }) => id));
  const shown = item.parts.flatMap(({ keys }) => keys);
  for (const id of shown) if (open.has(id)) questions.answer(id, action, where);
  const label = item.actions.find(({ id }) => id === action)?.label ?? action;
  return { sentence: `${label}: ${item.sentence}`, isDone: true };
}

function itemOf(asked: readonly OpenQuestion[], nameOfApp: (app: string) => string): InboxItem[] {
  const [first] = asked;
  if (first === undefined) return [];
  const { id, cause, at, server, sentence, choices } = first;
  const apps = [...new Set(asked.map(({ app }) => markHidden(nameOfApp(app))))];
  const waiting = asked.length === 1 ? 'a call that waits' : `${count(asked.length, 'call')} that wait`;
  return [
    {
      ...{ id, kind: 'flow', cause, at, server, isGrave: false, sentence: markHidden(sentence), meanings: [] },
      until: Math.min(...asked.map(({ until }) => until)),
      from: `${listed(apps)} ${apps.length === 1 ? 'has' : 'have'} ${waiting}.`,
      parts: asked.slice(0, mostQuestions).map((question) => partOf(question, nameOfApp)),
      moreParts: Math.max(0, asked.length - mostQuestions),
      actions: choices.map(actionOf).toSorted((one, other) => Number(one.isRisky) - Number(other.isRisky)),
    },
  ];
}

function actionOf({ id, label, meaning = '', risky }: Choice): InboxAction {
  return { id, label, meaning, isRisky: risky, isByPart: false };
}

function partOf({ id, tool, app, details }: OpenQuestion, nameOfApp: (app: string) => string): InboxPart {
  return {
    keys: [id],
    title: `${markHidden(nameOfApp(app))}${tool === undefined ? '' : ` with ${markHidden(tool)}`}`,
    ...{ notes: [], added: [], more: 0 },
    lines: details.map(({ name, text }) => {
      const [what, said] = [markHidden(name), markLines(text)];
      return { what, change: 'same', after: said, text: `${what}: ${said}` };
    }),
  };
}

/** Line breaks stay what they are: arguments are laid out. */
function markLines(text: string): string {
  return text.split('\n').map(markHidden).join('\n');
}

function decidedOf(decision: FlowDecision): Decided {
  const { server, destination, at } = decision;
  const [kind = '', ...rest] = destination.split(' ');
  const place = markHidden(rest.join(' '));
  const what = kind === 'secret' ? `send what looks like a ${place}` : `send to ${place}`;
  const sentence = `${markHidden(server)} may ${what} without a question.`;
  return { id: idOf(decision), kind: 'flow', at, by: '', server, sentence, undo: 'You are asked again.' };
}

function idOf({ server, destination }: FlowDecision): string {
  return createHash('sha256')
    .update(JSON.stringify([server, destination]))
    .digest('hex')
    .slice(0, 8);
}
