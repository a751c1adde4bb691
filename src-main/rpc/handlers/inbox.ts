/** Pending decisions, and the user's decisions on them. */
import type { InboxItem } from '../../core/trust/inbox/inbox-item.ts';
import type { InboxSummary } from '../contract.ts';
import type { Handlers } from '../deps.ts';

export const inboxHandlers = {
  inbox: async (_input, { trust }) => {
    const [items, decided] = await Promise.all([trust.inbox.items(), trust.inbox.decided()]);
    return { items: items.map(inboxSummary), decided };
  },
  inboxItem: ({ id, reveal }, { trust }) => trust.inbox.item(id, { reveal }),
  decide: ({ id, action, parts, by = 'dashboard' }, { trust }) => trust.inbox.decide(id, { action, parts, by }),
  undoDecision: ({ id }, { trust }) => trust.inbox.undo(id),
} satisfies Handlers;

export function inboxSummary(item: InboxItem): InboxSummary {
  const { id, kind, cause, at, until, server, user, title, sentence, from, risks, isGrave } = item;
  const owner = user === undefined ? {} : { user };
  return { id, kind, cause, at, until, server, ...owner, title, sentence, from, risks, isGrave };
}
