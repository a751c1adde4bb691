/** `tooltray inbox`: lists, shows and decides pending approvals by ID; shows and undoes past decisions. */
import { formatCount } from '../../../core/base/text-format.ts';
import { AppError, toAppError } from '../../../core/base/errors.ts';
import type { CoreAccess, InboxItem, InboxSummary, PastDecision, RpcMethods } from '../../../rpc/contract.ts';
import { type Action, command, commonFlags, usageError } from '../../command.ts';
import { withCore } from '../../core-access.ts';
import { partLines } from '../../diff-lines.ts';
import { oneLine, paint, printResult, table } from '../../terminal.ts';

interface InboxRequest {
  readonly core: CoreAccess;
  readonly json: boolean;
  readonly only: readonly string[];
  readonly reveal: boolean;
}

/** Resolves to the exit code. */
type ActionHandler = (request: InboxRequest, ids: readonly string[]) => Promise<number>;

const oneOrMore = 'ID …';

const actions = {
  list: { help: 'List pending items (default)', act: list },
  show: { words: 'ID', help: 'Show an item with its consequences and diff', act: show },
  approve: {
    words: oneOrMore,
    help: 'Approve items: use what is offered, or let a call pass once',
    act: deciding('approve'),
  },
  reject: { words: oneOrMore, help: 'Reject items: nothing of them is used or sent', act: deciding('reject') },
  keep: { words: oneOrMore, help: 'Keep the accepted definitions in place of the changed ones', act: deciding('keep') },
  allow: {
    words: oneOrMore,
    help: 'Always allow this: the destination of a call, or tools that the server adds',
    act: deciding('allow'),
  },
  block: { words: oneOrMore, help: 'Block a server or tool permanently', act: deciding('block') },
  preview: {
    words: 'ID',
    help: 'Start a server once in a sandbox without network, and show its tools',
    act: deciding('preview'),
  },
  history: { help: 'List past decisions', act: history },
  undo: { words: 'ID', help: 'Undo a decision', act: undo },
} as const satisfies Readonly<Record<string, Action & { readonly act: ActionHandler }>>;

export const inbox = command({
  actions,
  usual: 'list',
  flags: {
    reveal: { help: 'show: do not mask secrets' },
    only: { value: 'NAME', many: true, help: 'Decide only on this tool or prompt (repeatable)' },
    ...commonFlags,
  },
  notes: ['An ID identifies exactly what was shown. `show` also takes the name of a server.'],
  run: ({ config, json, only, reveal }, ids, action) =>
    withCore(config, (core) => actions[action].act({ core, json, only, reveal }, ids)),
});

/** Maps CLI actions to core decisions; the first that the item offers is used. */
const decisions = {
  approve: ['approve', 'accept', 'give', 'use', 'once'],
  reject: ['reject', 'refuse', 'leave', 'no'],
  keep: ['keep'],
  allow: ['always', 'grow'],
  block: ['block'],
  preview: ['look'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Decision = keyof typeof decisions;

/** Returns the CLI action for a core decision. */
function wordFor(action: string): string {
  const found = Object.entries(decisions).find(([, ids]) => (ids as readonly string[]).includes(action));
  return found?.[0] ?? action;
}

async function list({ core, json }: InboxRequest): Promise<number> {
  const { items } = await core.ask('inbox', {});
  printResult(json, { items }, () =>
    items.length === 0
      ? ['No pending decisions.']
      : [...items.flatMap(summaryLines), '', 'Show one: tooltray inbox show ID'],
  );
  return 0;
}

async function show({ core, json, reveal }: InboxRequest, [id = '']: readonly string[]): Promise<number> {
  const item = await core.ask('inboxItem', { id: await itemId(core, id), reveal });
  printResult(json, item, () => itemLines(item));
  return 0;
}

/** Resolves an item ID or a server name. */
async function itemId(core: CoreAccess, idOrServer: string): Promise<string> {
  const { items } = await core.ask('inbox', {});
  if (items.some(({ id }) => id === idOrServer)) return idOrServer;
  return items.find(({ server }) => server === idOrServer)?.id ?? idOrServer;
}

type Outcome = RpcMethods['decide']['output'];

function deciding(word: Decision): ActionHandler {
  return async (request, ids) => {
    const outcomes: (Outcome & { readonly id: string })[] = [];
    const refused: AppError[] = [];
    // Continues with the other items if one no longer exists.
    for (const id of new Set(ids))
      await decide(request, id, word).then(
        (outcome) => outcomes.push({ id, ...outcome }),
        (error: unknown) => refused.push(toAppError(error)),
      );
    const [first] = refused;
    if (first !== undefined && outcomes.length === 0) throw first;
    const data = ids.length === 1 ? outcomes[0] : { decided: outcomes, refused: refused.map(({ text }) => text) };
    const previews = await Promise.all(outcomes.map(async ({ goesOnAs }) => previewOf(request.core, goesOnAs)));
    printResult(request.json, data, () => [
      ...outcomes.map(({ sentence }) => oneLine(sentence)),
      ...previews.flatMap((item) => (item === undefined ? [] : ['', ...itemLines(item)])),
      ...refused.map(({ text }) => paint('bad', oneLine(text))),
    ]);
    return refused.length === 0 && outcomes.every(({ isDone }) => isDone) ? 0 : 1;
  };
}

/** Rejects with AppError `bad_request` for a decision that the item does not offer. */
async function decide({ core, only }: InboxRequest, id: string, word: Decision): Promise<Outcome> {
  // Accepts IDs only: a name could by now refer to a different item than the one shown.
  const item = await core.ask('inboxItem', { id });
  const offered = item.actions.map((action) => action.id);
  const action = decisions[word].find((one) => offered.includes(one));
  if (action === undefined)
    throw new AppError('bad_request', `${JSON.stringify(word)} is not possible for ${id}.`, {
      fix: `Use one of: ${offered.map(wordFor).join(', ')}.`,
    });
  const parts = only.length === 0 ? undefined : partsNamed(item, only);
  const outcome = await core.ask('decide', { id, action, by: 'command line', ...(parts && { parts }) });
  // Written to stderr, so that stdout stays machine-readable.
  if (outcome.goOn !== undefined) process.stderr.write(`Continue in your browser:\n  ${oneLine(outcome.goOn)}\n`);
  return outcome;
}

/** Returns the item with a preview of its server; the item stays pending. */
async function previewOf(core: CoreAccess, id: string | undefined): Promise<InboxItem | undefined> {
  return id === undefined ? undefined : core.ask('inboxItem', { id });
}

async function history({ core, json }: InboxRequest): Promise<number> {
  const { decided } = await core.ask('inbox', {});
  printResult(json, { decided }, () =>
    decided.length === 0
      ? ['No decisions yet.']
      : [
          ...table(['ID', 'TIME', 'DECIDED IN', 'DECISION'], decided.map(decidedRow)),
          '',
          'Undo one: tooltray inbox undo ID',
        ],
  );
  return 0;
}

async function undo({ core, json }: InboxRequest, [id = '']: readonly string[]): Promise<number> {
  const decided = await core.ask('undoDecision', { id });
  printResult(json, decided, () => [`Undone: ${oneLine(decided.sentence)}`, ...(decided.undo ? [decided.undo] : [])]);
  return 0;
}

/** Finds parts by the server's names: `draw` for `tool:draw`. Throws AppError `bad_request`. */
function partsNamed({ id, parts }: InboxItem, names: readonly string[]): readonly string[] {
  const keys = parts.flatMap((part) => part.keys);
  return names.flatMap((name) => {
    const named = keys.filter((key) => key === name || key.slice(key.indexOf(':') + 1) === name);
    if (named.length === 0) throw usageError(`${id} does not contain ${JSON.stringify(name)}`);
    return named;
  });
}

function summaryLines({ id, sentence, from, at, isGrave }: InboxSummary): string[] {
  const when = at === undefined ? '' : ` Pending since ${new Date(at).toLocaleString()}.`;
  return [
    `${paint('head', id)}  ${isGrave ? `${paint('bad', 'Severe.')} ` : ''}${oneLine(sentence)}`,
    `  ${paint('quiet', `${oneLine(from)}${when}`)}`,
  ];
}

function itemLines(item: InboxItem): string[] {
  const { id, until, meanings, parts, moreParts, actions: choices } = item;
  return [
    ...summaryLines(item),
    ...(until === undefined ? [] : [`  Pending until ${new Date(until).toLocaleTimeString()}.`]),
    ...(meanings.length === 0 ? [] : ['', 'If you approve:']),
    ...meanings.map(({ text, isGrave }) => `  ${isGrave ? paint('bad', '!') : ' '} ${oneLine(text)}`),
    ...parts.flatMap(partLines),
    ...(parts.some(({ isMasked }) => isMasked) ? ['', `Secrets are hidden: tooltray inbox show ${id} --reveal.`] : []),
    ...(moreParts === 0 ? [] : ['', `… and ${formatCount(moreParts, 'more part')}.`]),
    '',
    'Decide:',
    ...choices.map(
      (answer) =>
        `  tooltray inbox ${wordFor(answer.id).padEnd(7)} ${id}   ${oneLine(`${answer.label}. ${answer.meaning}`)}`,
    ),
    ...(choices.some(({ isByPart }) => isByPart) ? ['  --only NAME decides on that part alone.'] : []),
  ];
}

function decidedRow({ id, at, by, sentence, undo: undoable }: PastDecision): string[] {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return [undoable === undefined ? '' : id, when, by, oneLine(sentence)];
}
