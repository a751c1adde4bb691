/** Lists proposals by models and config edits by other programs as inbox items, with the decisions on them. */
import { markInvisible } from '../base/visible-text.ts';
import { displayNameOf } from '../client-apps/app-traits.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { userApp } from '../security/principal.ts';
import { mostSevereFirst, joinNames } from '../trust/inbox/entry-consequences.ts';
import type { InboxSource, UserDecision } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem, InboxPart, DecisionResult } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory, StoredDecision, WayBack } from './decision-history.ts';
import { type ExplainedChange, sentenceWithSecrets } from './explain-change.ts';
import type { UserEdits } from './user-edits.ts';
import type { ServerRemoval } from './server-removal.ts';
import type { ServerAdmin } from './server-admin.ts';
import { isRisky, type Proposal, type ServerChange } from './server-change.ts';

interface ProposalSourceParts {
  readonly admin: ServerAdmin;
  readonly edits: UserEdits;
  readonly history: DecisionHistory;
  readonly config: Pick<ConfigStore, 'pendingEdits'>;
  readonly descriptions: Pick<DescriptionStore, 'restoreOriginal'>;
  readonly removals: Pick<ServerRemoval, 'runThenSignOut'>;
  /** Reopens a rejected proposal. */
  readonly putBack: (proposal: Proposal) => Promise<void>;
}

export function createProposalSource(parts: ProposalSourceParts): InboxSource {
  const { admin, history } = parts;
  return {
    onChange: (listener) => admin.proposalsChanged.on(listener),
    items: async (showing) => {
      const proposals = await admin.proposals();
      return Promise.all(proposals.map(async (proposal) => itemOf(proposal, await admin.explain(proposal, showing))));
    },
    decide: (item, word) => decide(item, word, parts),
    decided: () => history.all(['proposal', 'settings']),
    undo: async ({ id }) => {
      await parts.removals.runThenSignOut(() => history.undo(id, (decision) => undo(decision, parts)));
    },
  };
}

function itemOf(proposal: Proposal, explained: readonly ExplainedChange[]): InboxItem {
  const { id, at, author, changes } = proposal;
  const isFile = isFromFile(proposal);
  const servers = new Set(explained.map(({ server }) => server));
  const [server] = servers;
  const meanings = mostSevereFirst(explained.flatMap((change) => change.meanings));
  return {
    id,
    at,
    until: undefined,
    kind: isFile ? 'settings' : 'proposal',
    cause: `proposal ${id}`,
    server: servers.size === 1 && server !== '' ? server : undefined,
    title: markInvisible(titleOf(proposal, explained)),
    sentence: sentenceWithSecrets(markInvisible(proposal.sentence), explained),
    from: isFile
      ? 'Another program added it to the config file.'
      : `${markInvisible(displayNameOf(author.app))} requested this with ${markInvisible(author.tool)}.`,
    risks: [...new Set(explained.flatMap(({ risks }) => risks))],
    command: explained.length === 1 ? (explained[0]?.command ?? '') : '',
    isGrave: false,
    meanings,
    parts: explained.map(partOf),
    moreParts: 0,
    actions: actionsOf(isFile, isFile || changes.some(isRisky)),
  };
}

function titleOf(proposal: Proposal, explained: readonly ExplainedChange[]): string {
  const { changes, author } = proposal;
  const servers = joinNames([...new Set(explained.flatMap(({ server }) => server || []))]);
  if (isFromFile(proposal)) return `Another program edited ${servers === '' ? 'the settings' : servers}`;
  const [change] = changes;
  const wish =
    change === undefined || changes.length > 1
      ? `make ${changes.length} changes to ${servers}`
      : `${changeVerbs[change.kind]} ${change.server}`;
  return `${displayNameOf(author.app)} wants to ${wish}`;
}

const changeVerbs: Readonly<Record<ServerChange['kind'], string>> = {
  add: 'add',
  remove: 'remove',
  update: 'change',
  enable: 'enable',
  disable: 'disable',
  describe: 'rewrite descriptions of',
};

function isFromFile({ author }: Proposal): boolean {
  return author.app === '';
}

function partOf({ server, sentence, lines, entry, isMasked }: ExplainedChange, at: number): InboxPart {
  return { keys: [`${at} ${server}`], title: sentence, notes: [], added: [], lines, more: 0, entry, isMasked };
}

function actionsOf(isFile: boolean, isRiskyToAgree: boolean): readonly InboxAction[] {
  const meaning = isFile ? 'It is removed from the config file.' : 'Nothing changes.';
  return [
    { id: 'reject', label: 'Reject', meaning, isRisky: false, isByPart: false },
    {
      id: 'approve',
      label: 'Approve',
      isRisky: isRiskyToAgree,
      isByPart: false,
      meaning: isFile ? 'It takes effect now.' : 'The change takes effect as shown here.',
    },
  ];
}

async function decide(
  item: InboxItem,
  { action, by }: UserDecision,
  parts: ProposalSourceParts,
): Promise<DecisionResult> {
  const { id, kind, server } = item;
  const proposal = (await parts.admin.proposals()).find((one) => one.id === id);
  const isYes = action === 'approve';
  const { result: back, signedOut } = await parts.removals.runThenSignOut(() =>
    isYes ? approve(id, proposal, parts) : reject(id, proposal, parts),
  );
  const left = signedOut.length === 0 ? [] : [`You are signed out of ${joinNames(signedOut.map(markInvisible))}.`];
  const sentence = [`${isYes ? 'Approved' : 'Rejected'}: ${item.sentence}`, ...left].join(' ');
  const undoes = back === undefined ? undefined : undoWords(back);
  const stored = await parts.history.add({ kind, by, server, sentence, undo: undoes, back });
  return { sentence, isDone: true, undo: undoes === undefined ? undefined : stored };
}

async function approve(
  id: string,
  proposal: Proposal | undefined,
  { admin, edits, config }: ProposalSourceParts,
): Promise<WayBack | undefined> {
  const { pendingEdits } = config;
  const changes = proposal?.changes ?? [];
  const servers = [...new Set(changes.flatMap((change) => (change.kind === 'describe' ? [] : [change.server])))];
  const before = await edits.rawEntries(servers);
  await admin.approve(id);
  if (proposal !== undefined && isFromFile(proposal)) return { written: pendingEdits };
  const after = await edits.rawEntries(servers);
  const written = servers.map((server) => {
    return { kind: 'entry', server, entry: after.get(server), before: before.get(server) } as const;
  });
  return { written, texts: changes.flatMap(textsOf) };
}

function textsOf(change: ServerChange): NonNullable<WayBack['texts']> {
  return change.kind === 'describe' ? [{ server: change.server, tools: Object.keys(change.texts) }] : [];
}

/** An edit that was removed from the file cannot be proposed again: its author has to write it again. */
async function reject(
  id: string,
  proposal: Proposal | undefined,
  { admin }: ProposalSourceParts,
): Promise<WayBack | undefined> {
  await admin.reject(id);
  return proposal === undefined || isFromFile(proposal) ? undefined : { rejected: proposal };
}

function undoWords({ rejected, texts = [], written = [] }: WayBack): string {
  if (rejected !== undefined) return 'You are asked again.';
  return [
    ...(written.length > 0 ? ['The previous configuration is restored.'] : []),
    ...(texts.length > 0 ? ['Apps get the server’s own descriptions again.'] : []),
  ].join(' ');
}

async function undo(
  { back, sentence, by }: StoredDecision,
  { edits, descriptions, putBack, admin }: ProposalSourceParts,
): Promise<void> {
  const { written = [], texts = [], rejected } = back ?? {};
  if (written.length > 0) await edits.revert(written);
  for (const { server, tools } of texts) await descriptions.restoreOriginal(server, tools);
  if (rejected !== undefined) await putBack(rejected);
  const author = { app: userApp, sessionId: 'person', tool: 'undo', mode: 'direct' };
  admin.recorded.emit({ author, what: `Undone (${by}): ${sentence}`, failure: undefined });
}
