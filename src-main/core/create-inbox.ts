/** Builds the inbox: each source receives the parts of the core that it needs. */
import type { DecisionHistory } from './admin/decision-history.ts';
import { createSelfHealingSource } from './admin/self-healing-source.ts';
import { createProposalSource } from './admin/proposal-source.ts';
import { createReviewSource } from './admin/review-source.ts';
import { createScopeSource } from './admin/scope-source.ts';
import type { ProposalStore } from './admin/server-change.ts';
import type { ServerReviews } from './admin/server-reviews.ts';
import { displayNameOf } from './client-apps/app-traits.ts';
import type { DescriptionStore } from './condense/description-store.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { ServersGroup } from './create-server-admin.ts';
import type { TrustGroup } from './create-trust.ts';
import { Inbox } from './trust/inbox/inbox.ts';
import { createPinSource } from './trust/inbox/pin-source.ts';
import { createApprovalSource } from './trust/inbox/approval-source.ts';

interface InboxDeps {
  readonly config: ConfigStore;
  readonly safety: Pick<TrustGroup, 'dataFlow' | 'pins'>;
  readonly servers: ServersGroup;
  readonly reviews: ServerReviews;
  readonly descriptions: DescriptionStore;
}

export function createInbox(deps: InboxDeps, history: DecisionHistory, proposals: ProposalStore): Inbox {
  const { config, safety, servers, reviews, descriptions } = deps;
  const { admin, edits, removals, healing, signIns, manager } = servers;
  const { questions, decisions } = safety.dataFlow;
  return new Inbox([
    createApprovalSource({ questions, decisions, nameOfApp: displayNameOf }),
    createPinSource(safety.pins, () => new Set(manager.all.map((server) => server.config.name))),
    createProposalSource({
      admin,
      edits,
      config,
      history,
      removals,
      descriptions,
      putBack: (proposal) => proposals.restore(proposal),
    }),
    createReviewSource({ reviews, edits, config, history }),
    createSelfHealingSource({ healing, edits, history }),
    createScopeSource({
      servers: () => manager.all,
      changed: signIns.changed,
      note: (...decision) => admin.recordUserDecision(...decision),
    }),
  ]);
}
