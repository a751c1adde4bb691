/** Launches found elsewhere that may repair a server, as inbox items, and the decisions about them. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { markInvisible } from '../base/visible-text.ts';
import { type HealCandidate, candidateKey, ownCommand } from '../client-apps/heal-candidates.ts';
import { mostSevereFirst } from '../trust/inbox/entry-consequences.ts';
import type { InboxSource, UserDecision, Showing } from '../trust/inbox/inbox.ts';
import type { InboxItem, DecisionResult } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory, StoredDecision } from './decision-history.ts';
import { explainEdits } from './explain-change.ts';
import { type SelfHealing, candidateQuestion } from './self-healing.ts';
import type { UserEdits } from './user-edits.ts';

interface HealSourceParts {
  readonly healing: SelfHealing;
  readonly edits: UserEdits;
  readonly history: DecisionHistory;
}

export function createSelfHealingSource(parts: HealSourceParts): InboxSource {
  const { healing, edits, history } = parts;
  return {
    onChange: (listener) => healing.changed.on(listener),
    items: async (showing) => {
      const { candidates } = healing;
      const written = await edits.rawEntries(candidates.map(({ server }) => server));
      return candidates.map((offer) => itemOf(offer, written.get(offer.server), showing));
    },
    decide: (item, word) => decide(item, word, parts),
    decided: () => history.all(['heal']),
    undo: ({ id }) => history.undo(id, (decision) => undo(decision, parts)),
  };
}

function itemOf(offer: HealCandidate, before: JsonObject | undefined, showing: Showing = {}): InboxItem {
  const { server, source, entry, file } = offer;
  const [change] = explainEdits([{ kind: 'entry', server, before, entry }], showing);
  const others = `${source.title}: its other launches may then also repair servers without asking you.`;
  const trust = source.id === ownCommand.id ? [] : [{ text: others, isGrave: false }];
  const wider = offer.reach.map((text) => ({ text, isGrave: true }));
  return {
    id: candidateKey(offer).slice(0, 6),
    kind: 'heal',
    cause: `heal ${server}`,
    at: undefined,
    until: undefined,
    server,
    title: `A repair was found for ${markInvisible(server)}`,
    risks: change?.risks ?? [],
    command: change?.command ?? '',
    sentence: `${markInvisible(server)} does not start. ${candidateQuestion(offer)}`,
    from: file === undefined ? 'Found in PATH.' : `Found in ${markInvisible(file)}. It has not been run yet.`,
    isGrave: false,
    meanings: mostSevereFirst([...wider, ...(change?.meanings ?? []), ...trust]),
    parts:
      change === undefined
        ? []
        : [
            {
              ...part,
              title: 'Config change',
              lines: change.lines,
              entry: change.entry,
              isMasked: change.isMasked,
            },
          ],
    moreParts: 0,
    actions: [
      {
        id: 'leave',
        label: 'Ignore',
        isRisky: false,
        isByPart: false,
        meaning: 'The server is not changed, and this launch is not offered again.',
      },
      {
        id: 'use',
        label: 'Test and use it',
        isRisky: true,
        isByPart: false,
        meaning: 'Starts it once. If it works, it is saved to the config file.',
      },
    ],
  };
}

const part = { keys: [], notes: [], added: [], more: 0 };

async function decide(item: InboxItem, { action, by }: UserDecision, parts: HealSourceParts): Promise<DecisionResult> {
  const { healing, edits, history } = parts;
  const { id, kind, server = '' } = item;
  const offer = healing.candidates.find((one) => candidateKey(one).startsWith(id));
  if (offer === undefined) throw new AppError('not_found', 'This launch is no longer offered.');
  const key = candidateKey(offer);
  if (action === 'leave') {
    await healing.dismiss(key);
    const sentence = `Did not change ${markInvisible(server)}.`;
    const undoes = 'This launch is offered again.';
    const back = { offer: { key, wanted: false } };
    return { sentence, isDone: true, undo: await history.add({ kind, by, server, sentence, undo: undoes, back }) };
  }
  const before = await edits.rawEntries([server]);
  const { healed, sentence } = await healing.heal(server);
  if (!healed) return { sentence, isDone: false };
  const after = await edits.rawEntries([server]);
  const written = [{ kind: 'entry', server, entry: after.get(server), before: before.get(server) } as const];
  const undoes = 'The previous entry is restored.';
  const back = { written, offer: { key, wanted: true } };
  return { sentence, isDone: true, undo: await history.add({ kind, by, server, sentence, undo: undoes, back }) };
}

async function undo({ back }: StoredDecision, { healing, edits }: HealSourceParts): Promise<void> {
  const { written = [], offer } = back ?? {};
  // First, because the standing approval would otherwise repair the server again.
  if (offer?.wanted === true) await healing.dismiss(offer.key);
  if (written.length > 0) await edits.revert(written);
  if (offer?.wanted === false) await healing.restoreDismissed(offer.key);
}
