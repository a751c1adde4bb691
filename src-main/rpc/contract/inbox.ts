/** Requests about decisions of the user: the inbox, proposed changes, reviews of servers. */
import { z } from 'zod';
import type { ServerReview } from '../../core/admin/server-reviews.ts';
import type {
  Consequence,
  DecisionResult,
  DiffLine,
  InboxItem,
  InboxSummary,
  PastDecision,
} from '../../core/trust/inbox/inbox-item.ts';
import { flag, id, maybe, name, nothing, text, type Methods } from './fields.ts';

export type { ServerReview } from '../../core/admin/server-reviews.ts';
export type {
  Consequence,
  DiffLine,
  InboxAction,
  InboxItem,
  InboxKind,
  InboxPart,
  InboxRisk,
  InboxSummary,
  PastDecision,
  TextSegment,
} from '../../core/trust/inbox/inbox-item.ts';

export interface ProposedChange {
  /** `file`: another program wrote it into the config file. */
  readonly kind: 'add' | 'remove' | 'update' | 'enable' | 'disable' | 'describe' | 'file';
  /** Empty for a setting. */
  readonly server: string;
  readonly sentence: string;
  /** Consequences of approval, gravest first. */
  readonly meanings: readonly Consequence[];
  /** Every line of the entry, today's and the one to come, in order. */
  readonly lines: readonly DiffLine[];
  /** The whole entry as it would stand; missing if none would. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Something that waits for the user's word. Its texts are verbatim, secrets too: what is masked would be agreed to
 * unseen.
 */
export interface ProposalSummary {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** A model asked, or another program changed the config file; `app` and `tool` are empty then. */
  readonly origin: 'model' | 'file';
  /** The client app it came from, as users call it, and the tool that was used. */
  readonly app: string;
  readonly tool: string;
  readonly sentence: string;
  /**
   * Approving starts, reaches or tells models something that was not: not to be the button that is pressed in passing.
   */
  readonly risky: boolean;
  /** Decided on together. */
  readonly changes: readonly ProposedChange[];
}

/** Schemas of the inputs. */
export const inboxInputs = {
  proposals: nothing,
  approve: z.object({ id }),
  reviews: z.object({ server: maybe(name) }),
  reviewServer: z.object({ server: name, id, choice: z.enum(['accept', 'refuse', 'block']) }),
  previewServer: z.object({ server: name, id }),
  reject: z.object({ id }),
  inbox: nothing,
  inboxItem: z.object({ id, reveal: maybe(flag) }),
  decide: z.object({
    id,
    /** One of the item's actions. */
    action: name,
    /** Keys of the chosen parts; absent: all. */
    parts: maybe(z.array(text.min(1)).max(10_000)),
    /** Origin of the decision; absent: the dashboard. */
    by: maybe(z.literal('command line')),
  }),
  undoDecision: z.object({ id }),
};

interface InboxOutputs {
  proposals: { readonly proposals: readonly ProposalSummary[] };
  approve: ProposalSummary;
  /** Servers that are not simply accepted; with a name that one, whatever its standing. */
  reviews: { readonly reviews: readonly ServerReview[] };
  /** The user's word on a server whose review of that id they saw. */
  reviewServer: { readonly sentence: string };
  /** Starts a server in review once in a box, and tells what it lists. */
  previewServer: ServerReview;
  reject: ProposalSummary;
  inbox: { readonly items: readonly InboxSummary[]; readonly decided: readonly PastDecision[] };
  /** `reveal`: with the secrets that its lines show as `***` otherwise. */
  inboxItem: InboxItem;
  decide: DecisionResult;
  /** Takes a decision back. */
  undoDecision: PastDecision;
}

export type InboxMethods = Methods<typeof inboxInputs, InboxOutputs>;
