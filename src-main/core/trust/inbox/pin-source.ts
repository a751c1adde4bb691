/** Inbox items for definitions that changed since the user accepted them, one per server and update. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { truncateText, markInvisible, truncateName } from '../../base/visible-text.ts';
import { formatCount } from '../../base/text-format.ts';
import type { DefinitionChange } from '../pins/pinned-definitions.ts';
import type { PinRegistry } from '../pins/pin-registry.ts';
import type { PinDecision, PinKey, PinnedKind } from '../pins/pin-store.ts';
import type { PinReview, PinScope } from '../pins/pin-review.ts';
import type { ServerPins } from '../pins/server-pins.ts';
import { definitionLines, diffLines, describePath } from './diff-lines.ts';
import { joinNames } from './entry-consequences.ts';
import type { UserDecision, InboxSource } from './inbox.ts';
import type {
  PastDecision,
  DiffLine,
  InboxAction,
  InboxItem,
  InboxPart,
  Consequence,
  DecisionResult,
} from './inbox-item.ts';

/** `configured`: the configured servers; pins outlive them. */
export function createPinSource(pins: PinRegistry, configured: () => ReadonlySet<string>): InboxSource {
  const pendingReviews = (): readonly PinReview[] => pins.pendingReviews(configured());
  const all = (): readonly ServerPins[] => pins.names(configured()).flatMap((name) => pins.find(name) ?? []);
  return {
    onChange: (listener) => pins.changed.on(listener),
    items: () =>
      Promise.resolve(pendingReviews().map((question) => itemOf(question, lastDecision(pins, question.name)))),
    decide: (item, word) =>
      decide(pins.find(pendingReviews().find(({ id }) => id === item.id)?.name ?? '') ?? gone(item.server), item, word),
    decided: () => Promise.resolve(all().flatMap(decidedAbout)),
    undo: ({ id, server }) =>
      (all().find(({ decisions }) => decisions.some((one) => one.id === id)) ?? gone(server)).undo(id),
  };
}

async function decide(
  about: ServerPins,
  { id, parts }: InboxItem,
  { action, by, parts: keys }: UserDecision,
): Promise<DecisionResult> {
  const choice = action === 'accept' || action === 'grow' ? action : 'keep';
  await about.decide(choice, by, id, keys as readonly PinKey[] | undefined);
  const decided = keys ?? parts.flatMap((part) => part.keys);
  return {
    sentence: decidedSentence(about.scope, choice, decided as readonly PinKey[]),
    isDone: true,
    undo: about.decisions.at(-1)?.id,
  };
}

/** Throws for a review that was removed or has changed. */
function gone(server = ''): never {
  throw new AppError('server_not_found', `No pending change of ${truncateName(server)} matches what was shown.`, {
    fix: 'List pending items: tooltray inbox.',
  });
}

/** Cause of the next review: a review after a decision is a new cause. */
function lastDecision(pins: PinRegistry, name: string): string {
  return pins.find(name)?.decisions.at(-1)?.id ?? '';
}

/**
 * Maximum number of parts of one item, and of lines and sentences of one part, because nobody reads more before
 * deciding.
 */
const maxParts = 100;
const maxLines = 60;
const maxSentences = 40;

function itemOf(question: PinReview, after: string): InboxItem {
  const { id, at, changes, isRugPull } = question;
  const server = markInvisible(question.server);
  const isGrave = isRugPull || changes.some(({ findings }) => findings.some(({ tier }) => tier === 'block'));
  return {
    id,
    kind: 'change',
    cause: `change ${question.name} ${after}`,
    at,
    until: undefined,
    server: question.server,
    title: itemTitle(server, question),
    sentence: sentenceOf(server, question),
    risks: [],
    command: '',
    from: fromOf(server, question),
    isGrave,
    meanings: meaningsOf(server, question),
    ...partsOf(changes),
    actions: actionsOf(
      changes.length,
      changes.every(({ origin }) => origin === 'call'),
    ),
  };
}

/** Groups definitions with the same change into parts, and counts those left out for lack of space. */
export function partsOf(changes: readonly DefinitionChange[]): Pick<InboxItem, 'parts' | 'moreParts'> {
  const groups = grouped(changes);
  return { parts: groups.slice(0, maxParts).map(partOf), moreParts: Math.max(0, groups.length - maxParts) };
}

function itemTitle(server: string, { changes, isLost }: PinReview): string {
  if (isLost) return `${server} needs to be accepted again`;
  const changed = changes.filter((change) => change.class !== 'new');
  const added = changes.length - changed.length;
  const what = [
    ...(changed.length > 0 ? [`changed ${joinNames(changed.map(nameOf))}`] : []),
    ...(added > 0 ? [`added ${formatCount(added, 'definition')}`] : []),
  ];
  return `${server} ${what.join(' and ')}`;
}

function sentenceOf(server: string, { changes, isRugPull, isLost, apps }: PinReview): string {
  if (isLost) return `${formatCount(changes.length, 'definition')} of ${server} must be accepted again.`;
  const changed = changes.filter((change) => change.class !== 'new');
  const added = changes.length - changed.length;
  const what = [
    ...(changed.length > 0 ? [`changed ${joinNames(changed.map(nameOf))}`] : []),
    ...(added > 0 ? [`added ${formatCount(added, 'definition')}`] : []),
  ];
  const to = apps === undefined ? '' : `For ${apps}, `;
  return `${to}${server} ${what.join(' and ')} since you accepted it${isRugPull ? ', without an update' : ''}.`;
}

function fromOf(server: string, question: PinReview): string {
  const { changes, isRugPull, isOtherLaunch, isLost, floats, apps } = question;
  const only =
    apps === undefined ? '' : ' Other apps have their own connections to it; changes there are reviewed separately.';
  if (isLost) return `The record of accepted definitions is damaged; a copy is stored next to it.${only}`;
  if (isRugPull) return `${server} changed although its launch stayed the same.${only}`;
  const came = (origin: DefinitionChange['origin']): boolean => changes.every((change) => change.origin === origin);
  if (came('call')) return `${server} added this within a minute of a call; its launch is unchanged.${only}`;
  if (came('same launch')) return `${server} changed; its launch is the same as when you accepted it.${only}`;
  if (isOtherLaunch) return `${server} is launched differently than when you accepted it.${only}`;
  if (floats === undefined) return `It is unknown whether the launch of ${server} has changed.${only}`;
  return `${markInvisible(floats)} is fetched again at each start, because no version is locked. To lock it: tooltray pin ${server}.${only}`;
}

function meaningsOf(server: string, { changes, isRugPull }: PinReview): readonly Consequence[] {
  const found = changes.reduce((sum, { findings }) => sum + findings.length, 0);
  const sentences = changes.reduce((sum, { added }) => sum + added.length, 0);
  const fresh = changes.filter((change) => change.class === 'new' && change.kind === 'tool');
  const milder = changes.filter((change) => change.milder.length > 0);
  const grave = (isTrue: boolean, text: string): Consequence[] => (isTrue ? [{ text, isGrave: true }] : []);
  const plain = (isTrue: boolean, text: string): Consequence[] => (isTrue ? [{ text, isGrave: false }] : []);
  return [
    ...grave(isRugPull, `No update explains this: ${server} replaced definitions that you accepted.`),
    ...grave(
      found > 0,
      `${formatCount(found, 'passage')} in it ${found === 1 ? 'reads' : 'read'} like instructions to the model.`,
    ),
    ...grave(
      milder.length > 0,
      `${joinNames(milder.map(nameOf))} ${milder.length === 1 ? 'declares itself' : 'declare themselves'} less dangerous: apps may stop asking for approval before a call.`,
    ),
    ...plain(
      fresh.length > 0,
      `Models can call ${joinNames(fresh.map(nameOf))}, which ${fresh.length === 1 ? 'is' : 'are'} new.`,
    ),
    ...plain(sentences > 0, `Models read ${formatCount(sentences, 'new sentence')}.`),
  ];
}

function actionsOf(changes: number, isGrowth: boolean): readonly InboxAction[] {
  const isByPart = changes > 1;
  return [
    {
      id: 'keep',
      label: 'Keep accepted version',
      isRisky: false,
      isByPart,
      meaning: 'Models keep the accepted text. Changed tools cannot be called, and you are not asked again.',
    },
    {
      id: 'accept',
      label: 'Accept',
      isRisky: true,
      isByPart,
      meaning: 'Models see the new text. Later changes are compared with it.',
    },
    ...(isGrowth ? [growAction] : []),
  ];
}

const growAction: InboxAction = {
  id: 'grow',
  label: 'Accept and allow new tools',
  isRisky: true,
  isByPart: false,
  meaning:
    'From now on, tools that it adds within a minute of a call are scanned and shown at once. All other changes need your review.',
};

// Groups definitions that changed alike.

interface Group {
  readonly changes: readonly DefinitionChange[];
  readonly lines: readonly DiffLine[];
}

function grouped(changes: readonly DefinitionChange[]): readonly Group[] {
  const groups = new Map<string, { changes: DefinitionChange[]; lines: readonly DiffLine[] }>();
  for (const change of changes) {
    const lines = linesOf(change);
    const { class: kind, added, milder, isRugPull, findings } = change;
    // Grouped by the change, not by the unchanged content.
    const what = saysMoreOnly(lines) ? lines.map((line) => line.what) : lines;
    const same = JSON.stringify([kind, change.kind, added, milder, isRugPull, findings, what]);
    const group = groups.get(same);
    if (group === undefined) groups.set(same, { changes: [change], lines });
    else group.changes.push(change);
  }
  return [...groups.values()].toSorted((one, other) => gravity(other.changes) - gravity(one.changes));
}

/** Whether sentences were added and all others stayed, so that the added sentences describe the whole change. */
function saysMoreOnly(lines: readonly DiffLine[]): boolean {
  return lines.every(({ pieces }) => pieces !== undefined && !pieces.before.some(({ isOther }) => isOther));
}

function gravity([change]: readonly DefinitionChange[]): number {
  const isBlock = change?.findings.some(({ tier }) => tier === 'block') ?? false;
  return Number(isBlock) * 4 + Number(change?.isRugPull) * 2 + Number((change?.findings.length ?? 0) > 0);
}

function linesOf({ kind, before = {}, after = {} }: DefinitionChange): readonly DiffLine[] {
  const [was, is] = [withoutName(kind, before), withoutName(kind, after)];
  return diffLines(definitionLines(was, is), definitionLines(is, was)).filter(({ change }) => change !== 'same');
}

/** Omits the name, which the title shows; otherwise no two definitions would be alike. */
function withoutName(kind: PinnedKind, definition: JsonObject): JsonObject {
  const name = kind === 'template' ? 'uriTemplate' : kind === 'view' || kind === 'skill' ? 'uri' : 'name';
  const { [name]: _name, ...rest } = definition;
  return rest;
}

function partOf({ changes, lines }: Group): InboxPart {
  const [first] = changes;
  const { added = [], milder = [], findings = [], isRugPull = false } = first ?? {};
  const sentences = added.slice(0, maxSentences).map(({ place, sentence }) => ({
    place: markInvisible(describePath(place)),
    sentence: truncateText(markInvisible(sentence), 4000),
  }));
  const notes: Consequence[] = [
    ...(isRugPull ? [{ text: 'Changed without an update.', isGrave: true }] : []),
    ...findings.map(({ sentence, words, tier }) => ({
      text: `${sentence} “${truncateText(markInvisible(words), 200)}”`,
      isGrave: tier === 'block',
    })),
    ...milder.map((hint) => ({ text: `Declares itself less dangerous: ${hint}.`, isGrave: true })),
  ];
  return {
    keys: changes.map(({ key }) => key),
    title: titleOf(changes),
    notes,
    added: sentences,
    lines: lines.slice(0, maxLines),
    more: Math.max(0, added.length - maxSentences) + Math.max(0, lines.length - maxLines),
  };
}

const nouns: Readonly<Record<PinnedKind, readonly [one: string, several: string]>> = {
  introduction: ['Server information', 'Server information'],
  tool: ['Tool', 'Tools'],
  prompt: ['Prompt', 'Prompts'],
  template: ['Resources', 'Resources'],
  skill: ['Skill', 'Skills'],
  view: ['User interface', 'User interfaces'],
};

function titleOf(changes: readonly DefinitionChange[]): string {
  const [first] = changes;
  if (first === undefined) return '';
  const [one, several] = nouns[first.kind];
  const isNew = first.class === 'new' ? (changes.length === 1 ? ', which is new' : ', which are new') : '';
  if (first.kind === 'introduction') return one;
  return `${changes.length === 1 ? one : several} ${joinNames(changes.map(nameOf))}${isNew}`;
}

function nameOf({ kind, name }: Pick<DefinitionChange, 'kind' | 'name'>): string {
  return kind === 'introduction' ? 'its server information' : truncateText(markInvisible(name), 100);
}

// Describes the decisions.

function decidedAbout({ scope, decisions }: ServerPins): readonly PastDecision[] {
  return decisions.map((decision) => decidedOf(scope, decision));
}

function decidedOf(scope: PinScope, { id, at, by, choice, decided }: PinDecision): PastDecision {
  const undo =
    choice !== 'keep'
      ? 'The previously accepted definitions apply again, and the review is pending again.'
      : 'The review is pending again.';
  const sentence = decidedSentence(scope, choice, Object.keys(decided) as PinKey[]);
  return { id, kind: 'change', at, by, server: scope.server, sentence, undo };
}

function decidedSentence({ server, apps }: PinScope, choice: PinDecision['choice'], keys: readonly PinKey[]): string {
  const names = keys.map((key) => {
    const [kind, name] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
    return nameOf({ kind: kind as PinnedKind, name: name.split('\n')[0] ?? '' });
  });
  const users = apps === undefined ? '' : ` for ${apps}`;
  const what = `definitions of ${markInvisible(server)}${users}: ${joinNames(names)}`;
  if (choice === 'keep') return `Kept the accepted ${what}.`;
  return choice === 'grow'
    ? `Accepted the ${what}; tools that it adds after calls are allowed.`
    : `Accepted the ${what}.`;
}
