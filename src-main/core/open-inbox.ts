/** All that waits for a person put together: each source is given what it needs of the core. */
import type { DecisionHistory } from './admin/decision-history.ts';
import { healSource } from './admin/heal-items.ts';
import type { Healing } from './admin/healing.ts';
import type { PersonEdits } from './admin/person-edits.ts';
import { proposalSource } from './admin/proposal-items.ts';
import type { Removals } from './admin/removals.ts';
import { reviewSource } from './admin/review-items.ts';
import { rightsSource } from './admin/rights-items.ts';
import type { ProposalStore } from './admin/server-change.ts';
import type { ServerAdmin } from './admin/server-admin.ts';
import type { ServerReviews } from './admin/server-reviews.ts';
import { nameOfApp } from './client-apps/app-limits.ts';
import type { DescriptionStore } from './condense/description-store.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { OpenFlow } from './open-flow.ts';
import type { ServerManager } from './servers/server-manager.ts';
import type { SignIns } from './servers/sign-in/sign-ins.ts';
import { Inbox } from './trust/inbox/inbox.ts';
import { pinSource } from './trust/inbox/pin-items.ts';
import { questionSource } from './trust/inbox/question-items.ts';
import type { PinBook } from './trust/pins/pin-book.ts';

interface InboxRoom {
  readonly options: { readonly config: ConfigStore };
  readonly trust: OpenFlow;
  readonly pins: PinBook;
  readonly servers: ServerManager;
  readonly admin: ServerAdmin;
  readonly edits: PersonEdits;
  readonly removals: Removals;
  readonly reviews: ServerReviews;
  readonly healing: Healing;
  readonly signIns: SignIns;
  /** Asked for with each item: it is made later than the inbox. */
  readonly descriptions: DescriptionStore;
}

export function openInbox(room: InboxRoom, history: DecisionHistory, proposals: ProposalStore): Inbox {
  const { admin, edits, removals, reviews, healing, signIns } = room;
  const { config } = room.options;
  const { questions, decisions } = room.trust;
  return new Inbox([
    questionSource({ questions, decisions, nameOfApp }),
    pinSource(room.pins, () => new Set(room.servers.all.map((server) => server.config.name))),
    proposalSource({
      ...{ admin, edits, config, history, removals },
      descriptions: () => room.descriptions,
      putBack: (proposal) => proposals.putBack(proposal),
    }),
    reviewSource({ reviews, edits, config, history }),
    healSource({ healing, edits, history }),
    rightsSource({
      servers: () => room.servers.all,
      changed: signIns.changed,
      note: (...decision) => admin.noteByPerson(...decision),
    }),
  ]);
}
