/** Servers whose entry itself says that nobody has accepted them yet (MCPProxy's quarantine), as items of the inbox. */
import type { InboxSource, PersonsWord } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem, Outcome } from '../trust/inbox/inbox-item.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { DecisionHistory } from './decision-history.ts';
import type { PersonEdits } from './person-edits.ts';
import type { ReviewChoice, ServerReview, ServerReviews } from './server-reviews.ts';

interface ReviewSourceParts {
  readonly reviews: ServerReviews;
  readonly edits: PersonEdits;
  readonly history: DecisionHistory;
  readonly config: ConfigStore;
}

export function reviewSource(parts: ReviewSourceParts): InboxSource {
  const { reviews, edits, history, config } = parts;
  return {
    onChange: (listener) => config.changed.on(listener),
    items: async () => {
      // What another program wrote is one item as a whole.
      const edited = new Set(config.waiting.flatMap((edit) => (edit.kind === 'entry' ? edit.server : [])));
      const waiting = await reviews.waiting();
      return waiting.filter(({ server, standing }) => standing === 'in-review' && !edited.has(server)).map(itemOf);
    },
    decide: (item, word) => decide(item, word, parts),
    decided: () => history.all(['review']),
    undo: ({ id }) => history.takeBack(id, ({ back }) => edits.takeBack(back?.written ?? [])),
  };
}

const actions: readonly InboxAction[] = [
  action('refuse', 'Take out', 'Its entry is taken out of the config file.', false),
  action('block', 'Block', 'It stays off for good; its entry stays where it is.', false),
  action('accept', 'Accept', 'It is started as it is shown here.', true),
];

function action(id: ReviewChoice, label: string, meaning: string, isRisky: boolean): InboxAction {
  return { id, label, meaning, isRisky, isByPart: false };
}

function itemOf({ server, id, meanings, lines }: ServerReview): InboxItem {
  return {
    ...{
      id,
      kind: 'review',
      cause: `review ${server} ${id}`,
      at: undefined,
      until: undefined,
      server,
      meanings,
      actions,
    },
    sentence: `The server "${server}" waits for your review and is not started before.`,
    from: 'Its entry in the config file says that nobody has accepted it.',
    isGrave: false,
    parts: [{ keys: [server], title: `Entry of ${server}`, notes: [], added: [], lines, more: 0 }],
    moreParts: 0,
  };
}

async function decide(
  item: InboxItem,
  { action: chosen, by }: PersonsWord,
  { reviews, edits, history }: ReviewSourceParts,
): Promise<Outcome> {
  const { id, kind, server = '' } = item;
  const before = (await edits.writtenEntries([server])).get(server);
  const sentence = await reviews.decide(server, chosen as ReviewChoice, id);
  const entry = (await edits.writtenEntries([server])).get(server);
  // A block is lifted by another review.
  const back = chosen === 'block' ? undefined : { written: [{ kind: 'entry', server, entry, before } as const] };
  const undo = back && 'What stood in the config file before is put back, and waits for your review.';
  await history.add({ kind, by, server, sentence, undo, back }).catch(() => undefined);
  return { sentence, isDone: true };
}
