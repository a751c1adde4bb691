/** Launches found elsewhere that may mend a server, as items of the inbox; and what was decided about them. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { markHidden } from '../base/shown-text.ts';
import { type HealOffer, offerKey, ownCommand } from '../client-apps/heal-offers.ts';
import { gravestFirst } from '../trust/inbox/entry-meanings.ts';
import type { InboxSource, PersonsWord, Showing } from '../trust/inbox/inbox.ts';
import type { InboxItem, Outcome } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory, KeptDecision } from './decision-history.ts';
import { explainEdits } from './explain-change.ts';
import { type Healing, offerText } from './healing.ts';
import type { PersonEdits } from './person-edits.ts';

interface HealSourceParts {
  readonly healing: Healing;
  readonly edits: PersonEdits;
  readonly history: DecisionHistory;
}

export function healSource(parts: HealSourceParts): InboxSource {
  const { healing, edits, history } = parts;
  return {
    onChange: (listener) => healing.changed.on(listener),
    items: async (showing) => {
      const { offers } = healing;
      const written = await edits.writtenEntries(offers.map(({ server }) => server));
      return offers.map((offer) => itemOf(offer, written.get(offer.server), showing));
    },
    decide: (item, word) => decide(item, word, parts),
    decided: () => history.all(['heal']),
    undo: ({ id }) => history.takeBack(id, (decision) => undo(decision, parts)),
  };
}

function itemOf(offer: HealOffer, before: JsonObject | undefined, showing: Showing = {}): InboxItem {
  const { server, source, entry, file } = offer;
  const [change] = explainEdits([{ kind: 'entry', server, before, entry }], showing);
  const others = `${source.title}: what else it starts may then mend servers as well, without another question.`;
  const trust = source.id === ownCommand.id ? [] : [{ text: others, isGrave: false }];
  const wider = offer.reach.map((text) => ({ text, isGrave: true }));
  return {
    ...{ id: offerKey(offer).slice(0, 6), kind: 'heal', cause: `heal ${server}`, at: undefined, until: undefined },
    server,
    sentence: `${markHidden(server)} does not start. ${offerText(offer)}`,
    from: file === undefined ? 'Found on the PATH.' : `Found in ${markHidden(file)}. Nothing of it has run yet.`,
    isGrave: false,
    meanings: gravestFirst([...wider, ...(change?.meanings ?? []), ...trust]),
    parts:
      change === undefined
        ? []
        : [
            {
              ...part,
              title: 'What would be written',
              lines: change.lines,
              entry: change.entry,
              isMasked: change.isMasked,
            },
          ],
    moreParts: 0,
    actions: [
      {
        ...{ id: 'leave', label: 'Leave it', isRisky: false, isByPart: false },
        meaning: 'The server stays as it is; you are not asked about this launch again.',
      },
      {
        ...{ id: 'use', label: 'Try and use it', isRisky: true, isByPart: false },
        meaning: 'It is started once; what works is written into the config file.',
      },
    ],
  };
}

const part = { keys: [], notes: [], added: [], more: 0 };

async function decide(item: InboxItem, { action, by }: PersonsWord, parts: HealSourceParts): Promise<Outcome> {
  const { healing, edits, history } = parts;
  const { id, kind, server = '' } = item;
  const offer = healing.offers.find((one) => offerKey(one).startsWith(id));
  if (offer === undefined) throw new AppError('not_found', 'This launch is not offered any more.');
  const key = offerKey(offer);
  if (action === 'leave') {
    await healing.leave(key);
    const sentence = `Left ${markHidden(server)} as it is.`;
    const undoes = 'You are asked about this launch again.';
    const back = { offer: { key, wanted: false } };
    return { sentence, isDone: true, undo: await history.add({ kind, by, server, sentence, undo: undoes, back }) };
  }
  const before = await edits.writtenEntries([server]);
  const { healed, sentence } = await healing.heal(server);
  if (!healed) return { sentence, isDone: false };
  const after = await edits.writtenEntries([server]);
  const written = [{ kind: 'entry', server, entry: after.get(server), before: before.get(server) } as const];
  const undoes = 'The entry that did not start is put back.';
  const back = { written, offer: { key, wanted: true } };
  return { sentence, isDone: true, undo: await history.add({ kind, by, server, sentence, undo: undoes, back }) };
}

async function undo({ back }: KeptDecision, { healing, edits }: HealSourceParts): Promise<void> {
  const { written = [], offer } = back ?? {};
  // First of all: else it would be mended again at once, by the yes that was given.
  if (offer?.wanted === true) await healing.leave(offer.key);
  if (written.length > 0) await edits.takeBack(written);
  if (offer?.wanted === false) await healing.offerAgain(offer.key);
}
