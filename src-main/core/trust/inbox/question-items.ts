/** Calls in flight that wait for the person's word, as items of the inbox: those with one cause are one. And what was allowed for good. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
  const open = (): Map<string, OpenQuestion[]> =>
    Map.groupBy(questions.open(), ({ cause, person }) => JSON.stringify([cause, person]));
  return {
    onChange: (listener) => {
      const stops = [questions.changed.on(listener), decisions.changed.on(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    items: () => Promise.resolve([...open().values()].flatMap((asked) => itemOf(asked, nameOfApp))),
    decide: async (item, word) => {
      const before = new Set(acts(decisions).map(idOf));
      const outcome = answer(questions, item, word);
      // Whoever asked hears of it first, and writes down what counts for good.
      await nextTurn();
      const [made, ...more] = acts(decisions).filter((act) => !before.has(idOf(act)));
      if (made === undefined || more.length > 0) return outcome;
      const { id, sentence } = decidedOf(made);
      return { ...outcome, sentence, undo: id };
    },
    decided: () => Promise.resolve(acts(decisions).toReversed().map(decidedOf)),
    undo: async ({ id }) => {
      const act = acts(decisions).find((one) => idOf(one) === id);
      if (act !== undefined) await decisions.takeBack(act);
    },
  };
}

/** Those of the cause that came since were not shown, and are asked on. */
function answer(questions: Questions, item: InboxItem, { action, by }: PersonsWord): Outcome {
  const open = new Set(questions.open().map(({ id }) => id));
  const shown = item.parts.flatMap(({ keys }) => keys);
  for (const id of shown) if (open.has(id)) questions.answer(id, action, by);
  const label = item.actions.find(({ id }) => id === action)?.label ?? action;
  return { sentence: `${label}: ${item.sentence}`, isDone: true };
}

function itemOf(asked: readonly OpenQuestion[], nameOfApp: (app: string) => string): InboxItem[] {
  const [first] = asked;
  if (first === undefined) return [];
  const { id, cause, at, server, person, sentence, choices } = first;
  const apps = [...new Set(asked.map(({ app }) => markHidden(nameOfApp(app))))];
  const waiting = asked.length === 1 ? 'a call that waits' : `${count(asked.length, 'call')} that wait`;
  return [
    {
      ...{ id, kind: 'flow', cause, at, server, isGrave: false, sentence: markHidden(sentence), meanings: [] },
      ...(person !== undefined && { person }),
      until: Math.min(...asked.map(({ until }) => until)),
      from: `${listed(apps)} ${apps.length === 1 ? 'has' : 'have'} ${waiting}.`,
      parts: asked.slice(0, mostQuestions).map((question) => partOf(question, nameOfApp)),
      moreParts: Math.max(0, asked.length - mostQuestions),
      actions: choices.map(actionOf).toSorted((one, other) => Number(one.isRisky) - Number(other.isRisky)),
    },
  ];
}

function actionOf({ id, label, meaning = '', risky, whose }: Choice): InboxAction {
  return { id, label, meaning, isRisky: risky, isByPart: false, ...(whose && { whose }) };
}

function partOf({ id, tool, app, details }: OpenQuestion, nameOfApp: (app: string) => string): InboxPart {
  return {
    keys: [id],
    title: `${markHidden(nameOfApp(app))}${tool === undefined ? '' : ` with ${markHidden(tool)}`}`,
    ...{ notes: [], added: [], more: 0 },
    lines: details.map(({ name, text, isPrivate }) => {
      const [what, said] = [markHidden(name), markLines(text)];
      return { what, change: 'same', after: said, text: `${what}: ${said}`, ...(isPrivate && { isPrivate }) };
    }),
  };
}

/** Line breaks stay what they are: arguments are laid out. */
function markLines(text: string): string {
  return text.split('\n').map(markHidden).join('\n');
}

/** What was allowed by one answer: a call that sends to two places asks once. */
type Act = readonly [FlowDecision, ...FlowDecision[]];

/** Oldest first. */
function acts({ all }: FlowDecisions): readonly Act[] {
  const together = Map.groupBy(all, ({ server, at, app }) => JSON.stringify([server, at, app]));
  return [...together.values()].map((act) => act as [FlowDecision, ...FlowDecision[]]);
}

function decidedOf(act: Act): Decided {
  const [{ server, at, by = '' }] = act;
  const deeds = listed(act.map(({ destination }) => deedOf(destination)));
  const sentence = `${markHidden(server)} may ${deeds} without a question.`;
  return { id: idOf(act), kind: 'flow', at, by, server, sentence, undo: 'You are asked again.' };
}

function deedOf(destination: string): string {
  const [kind = '', ...rest] = destination.split(' ');
  const place = markHidden(rest.join(' '));
  return kind === 'secret' ? `send what looks like a ${place}` : `send to ${place}`;
}

function idOf(act: Act): string {
  return createHash('sha256')
    .update(JSON.stringify(act.map(({ server, destination }) => [server, destination])))
    .digest('hex')
    .slice(0, 8);
}

/** In words, of what is decided for good. */
export function tellAllowed(decided: readonly FlowDecision[]): string {
  const [first] = decided;
  return first === undefined ? '' : decidedOf([first, ...decided.slice(1)]).sentence;
}
