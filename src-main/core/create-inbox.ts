/** Builds the inbox: each source receives the parts of the core that it needs. */
import type { DecisionHistory } from './admin/decision-history.ts';
import { createSelfHealingSource } from './admin/self-healing-source.ts';
import type { SelfHealing } from './admin/self-healing.ts';
import type { UserEdits } from './admin/user-edits.ts';
import { createProposalSource } from './admin/proposal-source.ts';
import type { ServerRemoval } from './admin/server-removal.ts';
import { createReviewSource } from './admin/review-source.ts';
import { createScopeSource } from './admin/scope-source.ts';
import type { ProposalStore } from './admin/server-change.ts';
import type { ServerAdmin } from './admin/server-admin.ts';
import type { ServerReviews } from './admin/server-reviews.ts';
import { displayNameOf } from './client-apps/app-traits.ts';
import type { DescriptionStore } from './condense/description-store.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { DataFlow } from './create-data-flow.ts';
import type { ServerManager } from './servers/server-manager.ts';
import type { OAuthManager } from './servers/oauth/oauth-manager.ts';
import { Inbox } from './trust/inbox/inbox.ts';
import { createPinSource } from './trust/inbox/pin-source.ts';
import { createApprovalSource } from './trust/inbox/approval-source.ts';
import type { PinRegistry } from './trust/pins/pin-registry.ts';

interface InboxDeps {
  readonly options: { readonly config: ConfigStore };
  readonly trust: DataFlow;
  readonly pins: PinRegistry;
  readonly servers: ServerManager;
  readonly admin: ServerAdmin;
  readonly edits: UserEdits;
  readonly removals: ServerRemoval;
  readonly reviews: ServerReviews;
  readonly healing: SelfHealing;
  readonly signIns: OAuthManager;
  /** Asked for with each item: it is made later than the inbox. */
  readonly descriptions: DescriptionStore;
}

export function createInbox(room: InboxDeps, history: DecisionHistory, proposals: ProposalStore): Inbox {
  const { admin, edits, removals, reviews, healing, signIns } = room;
  const { config } = room.options;
  const { questions, decisions } = room.trust;
  return new Inbox([
    createApprovalSource({ questions, decisions, nameOfApp: displayNameOf }),
    createPinSource(room.pins, () => new Set(room.servers.all.map((server) => server.config.name))),
    createProposalSource({
      admin,
      edits,
      config,
      history,
      removals,
      descriptions: () => room.descriptions,
      putBack: (proposal) => proposals.restore(proposal),
    }),
    createReviewSource({ reviews, edits, config, history }),
    createSelfHealingSource({ healing, edits, history }),
    createScopeSource({
      servers: () => room.servers.all,
      changed: signIns.changed,
      note: (...decision) => admin.recordUserDecision(...decision),
    }),
  ]);
}
