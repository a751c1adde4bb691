/** What models propose, and what other programs wrote into the config file, as items of the inbox; and what was decided about it. */
import { markHidden } from '../base/shown-text.ts';
import { nameOfApp } from '../client-apps/app-limits.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { ownApp } from '../security/principal.ts';
import { gravestFirst, listed } from '../trust/inbox/entry-meanings.ts';
import type { InboxSource, PersonsWord } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem, InboxPart, Outcome } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory, KeptDecision, WayBack } from './decision-history.ts';
import { type ExplainedChange, fullSentence } from './explain-change.ts';
import type { PersonEdits } from './person-edits.ts';
import type { Removals } from './removals.ts';
import type { ServerAdmin } from './server-admin.ts';
import { isRisky, type Proposal, type ServerChange } from './server-change.ts';

interface ProposalSourceParts {
  readonly admin: ServerAdmin;
  readonly edits: PersonEdits;
  readonly history: DecisionHistory;
  readonly config: Pick<ConfigStore, 'waiting'>;
  /** Asked for at each use: they are made after this. */
  readonly descriptions: () => Pick<DescriptionStore, 'takeBack'>;
  readonly removals: Pick<Removals, 'after'>;
  /** Asks again what was rejected. */
  readonly putBack: (proposal: Proposal) => Promise<void>;
}

export function proposalSource(parts: ProposalSourceParts): InboxSource {
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
      await parts.removals.after(() => history.takeBack(id, (decision) => undo(decision, parts)));
    },
  };
}

function itemOf(proposal: Proposal, explained: readonly ExplainedChange[]): InboxItem {
  const { id, at, author, changes } = proposal;
  const isFile = isFromFile(proposal);
  const servers = new Set(explained.map(({ server }) => server));
  const [server] = servers;
  const meanings = gravestFirst(explained.flatMap((change) => change.meanings));
  return {
    ...{ id, at, until: undefined, kind: isFile ? 'settings' : 'proposal', cause: `proposal ${id}` },
    server: servers.size === 1 && server !== '' ? server : undefined,
    sentence: fullSentence(markHidden(proposal.sentence), explained),
    from: isFile
      ? 'Another program wrote it into the config file.'
      : `${markHidden(nameOfApp(author.app))} asked with ${markHidden(author.tool)}.`,
    ...{ isGrave: false, meanings, parts: explained.map(partOf), moreParts: 0 },
    actions: actionsOf(isFile, isFile || changes.some(isRisky)),
  };
}

function isFromFile({ author }: Proposal): boolean {
  return author.app === '';
}

function partOf({ server, sentence, lines, entry, isMasked }: ExplainedChange, at: number): InboxPart {
  return { keys: [`${at} ${server}`], title: sentence, notes: [], added: [], lines, more: 0, entry, isMasked };
}

function actionsOf(isFile: boolean, isRiskyToAgree: boolean): readonly InboxAction[] {
  const meaning = isFile ? 'It is taken out of the config file again.' : 'Nothing is changed.';
  return [
    { id: 'reject', label: 'Reject', meaning, isRisky: false, isByPart: false },
    {
      ...{ id: 'approve', label: 'Approve', isRisky: isRiskyToAgree, isByPart: false },
      meaning: isFile ? 'It is in use from now on.' : 'It is changed as it is shown here.',
    },
  ];
}

async function decide(item: InboxItem, { action, by }: PersonsWord, parts: ProposalSourceParts): Promise<Outcome> {
  const { id, kind, server } = item;
  const proposal = (await parts.admin.proposals()).find((one) => one.id === id);
  const isYes = action === 'approve';
  const { result: back, signedOut } = await parts.removals.after(() =>
    isYes ? approve(id, proposal, parts) : reject(id, proposal, parts),
  );
  const left = signedOut.length === 0 ? [] : [`You are signed out of ${listed(signedOut.map(markHidden))}.`];
  const sentence = [`${isYes ? 'Approved' : 'Rejected'}: ${item.sentence}`, ...left].join(' ');
  const undoes = back === undefined ? undefined : undoWords(back);
  const kept = await parts.history.add({ kind, by, server, sentence, undo: undoes, back });
  return { sentence, isDone: true, undo: undoes === undefined ? undefined : kept };
}

async function approve(
  id: string,
  proposal: Proposal | undefined,
  { admin, edits, config }: ProposalSourceParts,
): Promise<WayBack | undefined> {
  const { waiting } = config;
  const changes = proposal?.changes ?? [];
  const servers = [...new Set(changes.flatMap((change) => (change.kind === 'describe' ? [] : [change.server])))];
  const before = await edits.writtenEntries(servers);
  await admin.approve(id);
  if (proposal !== undefined && isFromFile(proposal)) return { written: waiting };
  const after = await edits.writtenEntries(servers);
  const written = servers.map((server) => {
    return { kind: 'entry', server, entry: after.get(server), before: before.get(server) } as const;
  });
  return { written, texts: changes.flatMap(textsOf) };
}

function textsOf(change: ServerChange): NonNullable<WayBack['texts']> {
  return change.kind === 'describe' ? [{ server: change.server, tools: Object.keys(change.texts) }] : [];
}

/** An edit that was taken out of the file is nothing that could be asked again: whoever wrote it has to write it again. */
async function reject(
  id: string,
  proposal: Proposal | undefined,
  { admin }: ProposalSourceParts,
): Promise<WayBack | undefined> {
  await admin.reject(id);
  return proposal === undefined || isFromFile(proposal) ? undefined : { rejected: proposal };
}

function undoWords({ rejected, texts = [], written = [] }: WayBack): string {
  if (rejected !== undefined) return 'You are asked about it again.';
  return [
    ...(written.length > 0 ? ['What stood in the config file before is put back.'] : []),
    ...(texts.length > 0 ? ['Apps are told again what the server says itself.'] : []),
  ].join(' ');
}

async function undo(
  { back, sentence, by }: KeptDecision,
  { edits, descriptions, putBack, admin }: ProposalSourceParts,
): Promise<void> {
  const { written = [], texts = [], rejected } = back ?? {};
  if (written.length > 0) await edits.takeBack(written);
  for (const { server, tools } of texts) await descriptions().takeBack(server, tools);
  if (rejected !== undefined) await putBack(rejected);
  const author = { app: ownApp, sessionId: 'person', tool: 'undo', mode: 'direct' };
  admin.noted.emit({ author, what: `Taken back (${by}): ${sentence}`, failure: undefined });
}
