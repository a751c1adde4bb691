/**
 * `tooltray inbox`: what waits for the person's decision, shown whole and answered by its id; what was decided, and how
 * to take it back.
 */
import { formatCount } from '../../../core/base/text-format.ts';
import type { CoreAccess, PastDecision, InboxItem, InboxSummary } from '../../../rpc/contract.ts';
import { type Action, command, commonFlags, usageError } from '../../command.ts';
import { withCore } from '../../core-access.ts';
import { partLines } from '../../diff-lines.ts';
import { oneLine, paint, printResult, table } from '../../terminal.ts';

interface Asked {
  readonly core: CoreAccess;
  readonly json: boolean;
  readonly only: readonly string[];
  readonly reveal: boolean;
}

/** Resolves to the exit code. */
type Act = (asked: Asked, id: string, answer: string) => Promise<number>;

const actions = {
  list: { help: 'List pending items (default)', act: list },
  show: { words: 'ID', help: 'Show an item with its consequences and diff', act: show },
  decide: { words: 'ID ANSWER', help: 'Decide an item with one of the actions listed by show', act: decide },
  history: { help: 'List past decisions', act: history },
  undo: { words: 'ID', help: 'Undo a decision', act: undo },
} as const satisfies Readonly<Record<string, Action & { readonly act: Act }>>;

export const inbox = command({
  actions,
  usual: 'list',
  flags: {
    reveal: { help: 'show: do not mask secrets' },
    only: { value: 'NAME', many: true, help: 'Decide only on this tool or prompt (repeatable)' },
    ...commonFlags,
  },
  run: ({ config, json, only, reveal }, [id = '', answer = ''], action) =>
    withCore(config, (core) => actions[action].act({ core, json, only, reveal }, id, answer)),
});

async function list({ core, json }: Asked): Promise<number> {
  const { items } = await core.ask('inbox', {});
  printResult(json, { items }, () =>
    items.length === 0
      ? ['Nothing is waiting for your decision.']
      : [...items.flatMap(summaryLines), '', 'Look at one: tooltray inbox show ID.'],
  );
  return 0;
}

async function show({ core, json, reveal }: Asked, id: string): Promise<number> {
  const item = await core.ask('inboxItem', { id, reveal });
  printResult(json, item, () => itemLines(item));
  return 0;
}

async function decide({ core, json, only }: Asked, id: string, action: string): Promise<number> {
  const parts = only.length === 0 ? undefined : partsNamed(await core.ask('inboxItem', { id }), only);
  const outcome = await core.ask('decide', { id, action, by: 'command line', ...(parts && { parts }) });
  // For people only, so that stdout stays one document for scripts.
  if (outcome.goOn !== undefined) process.stderr.write(`Go on in your browser:\n  ${oneLine(outcome.goOn)}\n`);
  const { goesOnAs } = outcome;
  const more = goesOnAs === undefined ? [] : [`It still waits, with what was seen: tooltray inbox show ${goesOnAs}.`];
  printResult(json, outcome, () => [oneLine(outcome.sentence), ...more]);
  return outcome.isDone ? 0 : 1;
}

async function history({ core, json }: Asked): Promise<number> {
  const { decided } = await core.ask('inbox', {});
  printResult(json, { decided }, () =>
    decided.length === 0
      ? ['Nothing was decided yet.']
      : [
          ...table(['ID', 'WHEN', 'WHERE', 'WHAT'], decided.map(decidedRow)),
          '',
          'Take one back: tooltray inbox undo ID.',
        ],
  );
  return 0;
}

async function undo({ core, json }: Asked, id: string): Promise<number> {
  const decided = await core.ask('undecide', { id });
  printResult(json, decided, () => [
    `Taken back: ${oneLine(decided.sentence)}`,
    ...(decided.undo ? [decided.undo] : []),
  ]);
  return 0;
}

/** A part by its name, as the server has it: `draw` for `tool:draw`. Throws AppError bad_request. */
function partsNamed({ id, parts }: InboxItem, names: readonly string[]): readonly string[] {
  const keys = parts.flatMap((part) => part.keys);
  return names.flatMap((name) => {
    const named = keys.filter((key) => key === name || key.slice(key.indexOf(':') + 1) === name);
    if (named.length === 0) throw usageError(`${JSON.stringify(name)} is no part of ${id}`);
    return named;
  });
}

function summaryLines({ id, sentence, from, at, isGrave }: InboxSummary): string[] {
  const when = at === undefined ? '' : ` Waits since ${new Date(at).toLocaleString()}.`;
  return [
    `${paint('head', id)}  ${isGrave ? `${paint('bad', 'Look closely.')} ` : ''}${oneLine(sentence)}`,
    `  ${paint('quiet', `${oneLine(from)}${when}`)}`,
  ];
}

function itemLines(item: InboxItem): string[] {
  const { id, until, meanings, parts, moreParts, actions: answers } = item;
  return [
    ...summaryLines(item),
    ...(until === undefined ? [] : [`  It waits until ${new Date(until).toLocaleTimeString()}.`]),
    ...(meanings.length === 0 ? [] : ['', 'A yes would mean:']),
    ...meanings.map(({ text, isGrave }) => `  ${isGrave ? paint('bad', '!') : ' '} ${oneLine(text)}`),
    ...parts.flatMap(partLines),
    ...(parts.some(({ isMasked }) => isMasked) ? ['', `Secrets are hidden: tooltray inbox show ${id} --reveal.`] : []),
    ...(moreParts === 0 ? [] : ['', `… and ${formatCount(moreParts, 'more part')}.`]),
    '',
    'Answers:',
    ...answers.map(
      (answer) =>
        `  tooltray inbox decide ${id} ${answer.id.padEnd(8)} ${oneLine(`${answer.label}. ${answer.meaning}`)}`,
    ),
    ...(answers.some(({ isByPart }) => isByPart) ? ['  With --only NAME: about that alone.'] : []),
  ];
}

function decidedRow({ id, at, by, sentence, undo: back }: PastDecision): string[] {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return [back === undefined ? '' : id, when, by, oneLine(sentence)];
}
