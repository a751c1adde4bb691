/** Requests about user decisions: the inbox, proposed changes, server reviews. */
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
  /** `file`: an external edit of the config file. */
  readonly kind: 'add' | 'remove' | 'update' | 'enable' | 'disable' | 'describe' | 'file';
  /** Empty for a setting. */
  readonly server: string;
  readonly sentence: string;
  /** Consequences of approval, most severe first. */
  readonly meanings: readonly Consequence[];
  /** All lines of the entry before and after, in order. */
  readonly lines: readonly DiffLine[];
  /** The full entry after the change; missing if there would be none. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

/** A pending decision. Texts are verbatim, including secrets, so that the user sees everything they approve. */
export interface ProposalSummary {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /**
   * Whether a model requested it or another program changed the config file; for `file`, `app` and `tool` are empty.
   */
  readonly origin: 'model' | 'file';
  /** Display name of the requesting client app, and the tool used. */
  readonly app: string;
  readonly tool: string;
  readonly sentence: string;
  /**
   * Approval would start something, allow access, or show models something new, so it must not be the default button.
   */
  readonly risky: boolean;
  /** Decided together. */
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
    /** Keys of the selected parts; absent: all. */
    parts: maybe(z.array(text.min(1)).max(10_000)),
    /** Origin of the decision; absent: the dashboard. */
    by: maybe(z.literal('command line')),
  }),
  undoDecision: z.object({ id }),
};

interface InboxOutputs {
  proposals: { readonly proposals: readonly ProposalSummary[] };
  approve: ProposalSummary;
  /** Servers that are not fully accepted; if a name is given, that server in any state. */
  reviews: { readonly reviews: readonly ServerReview[] };
  /** The user's decision on the review with this ID. */
  reviewServer: { readonly sentence: string };
  /** Starts a server under review once in a sandbox and returns what it lists. */
  previewServer: ServerReview;
  reject: ProposalSummary;
  inbox: { readonly items: readonly InboxSummary[]; readonly decided: readonly PastDecision[] };
  /** `reveal`: includes secrets that are otherwise shown as `***`. */
  inboxItem: InboxItem;
  decide: DecisionResult;
  /** Reverts a decision. */
  undoDecision: PastDecision;
}

export type InboxMethods = Methods<typeof inboxInputs, InboxOutputs>;
