/** Inbox items for servers whose entry itself states that nobody has accepted it (MCPProxy's quarantine). */
import { sentenceWithSecrets } from './explain-change.ts';
import type { InboxSource } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem } from '../trust/inbox/inbox-item.ts';
import { markInvisible } from '../base/visible-text.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { DecisionHistory } from './decision-history.ts';
import type { UserEdits } from './user-edits.ts';
import type { ReviewChoice, ServerReview, ServerReviews } from './server-reviews.ts';

interface ReviewSourceParts {
  readonly reviews: ServerReviews;
  readonly edits: UserEdits;
  readonly history: DecisionHistory;
  readonly config: ConfigStore;
}

export function createReviewSource({ reviews, edits, history, config }: ReviewSourceParts): InboxSource {
  return {
    onChange: (listener) => {
      const stops = [config.changed.on(listener), reviews.previewed.on(listener)];
      return () => stops.forEach((stop) => stop());
    },
    items: async (showing) => {
      // Edits of another program form one item.
      const edited = new Set(config.pendingEdits.flatMap((edit) => (edit.kind === 'entry' ? edit.server : [])));
      const waiting = await reviews.pending(showing);
      return waiting.filter(({ server, status }) => status === 'in-review' && !edited.has(server)).map(itemOf);
    },
    decide: async ({ id, server = '' }, { action, by }) => {
      if (action !== 'look') return reviews.decide(server, action as ReviewChoice, id, by);
      const { id: goesOnAs, look } = await reviews.preview(server, id);
      return { sentence: look?.sentence ?? '', isDone: look?.isDone === true, goesOnAs };
    },
    decided: () => history.all(['review']),
    undo: ({ id }) => history.undo(id, ({ back }) => edits.revert(back?.written ?? [])),
  };
}

const actions: readonly InboxAction[] = [
  action('refuse', 'Remove', 'Its entry is removed from the config file.', false),
  action('block', 'Block', 'It stays blocked; its entry is not removed.', false),
  action(
    'look',
    'Preview',
    'Starts it once in a sandbox, without network and variables, to list its tools, then stops it.',
    false,
  ),
  action('accept', 'Accept', 'It starts as shown here.', true),
];

function action(id: ReviewChoice | 'look', label: string, meaning: string, isRisky: boolean): InboxAction {
  return { id, label, meaning, isRisky, isByPart: false };
}

function itemOf(review: ServerReview): InboxItem {
  const { server, id, meanings, secrets, lines, isMasked, look, risks, command } = review;
  return {
    id,
    kind: 'review',
    cause: `review ${server} ${id}`,
    at: undefined,
    until: undefined,
    server,
    meanings,
    actions,
    title: markInvisible(`${server} is new and has not been accepted`),
    risks,
    command,
    sentence: sentenceWithSecrets(markInvisible(`The server "${server}" needs your review before it starts.`), [
      { secrets },
    ]),
    from: ['Its entry in the config file marks it as not accepted.', look?.sentence].join(' ').trim(),
    isGrave: look?.isGrave === true,
    parts: [
      { keys: [server], title: markInvisible(`Entry of ${server}`), notes: [], added: [], lines, more: 0, isMasked },
      ...(look?.parts ?? []),
    ],
    moreParts: look?.moreParts ?? 0,
  };
}
