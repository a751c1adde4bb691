/** Requests about decisions of the user: the inbox, proposed changes, reviews of servers. */
import type { ServerReview } from '../../core/admin/server-reviews.ts';
import type {
  Consequence,
  DecisionResult,
  DiffLine,
  InboxItem,
  InboxSummary,
  PastDecision,
} from '../../core/trust/inbox/inbox-item.ts';

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
  /** The whole entry as it would stand; missing where none would. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Something that waits for the person's word. Its texts are verbatim, secrets too: what is masked would be agreed to
 * unseen.
 */
export interface ProposalSummary {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** A model asked, or another program changed the config file; `app` and `tool` are empty then. */
  readonly origin: 'model' | 'file';
  /** The client app it came from, as people call it, and the tool that was used. */
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

export interface InboxContract {
  proposals: { input: Record<string, never>; output: { readonly proposals: readonly ProposalSummary[] } };
  approve: { input: { readonly id: string }; output: ProposalSummary };
  /** Servers that are not simply accepted; with a name that one, whatever its standing. */
  reviews: { input: { readonly server?: string }; output: { readonly reviews: readonly ServerReview[] } };
  /** The person's word on a server whose review of that id they saw. */
  reviewServer: {
    input: { readonly server: string; readonly id: string; readonly choice: 'accept' | 'refuse' | 'block' };
    output: { readonly sentence: string };
  };
  /** Starts a server in review once in a box, and tells what it lists. */
  previewServer: { input: { readonly server: string; readonly id: string }; output: ServerReview };
  reject: { input: { readonly id: string }; output: ProposalSummary };
  inbox: {
    input: Record<string, never>;
    output: { readonly items: readonly InboxSummary[]; readonly decided: readonly PastDecision[] };
  };
  /** `reveal`: with the secrets that its lines show as `***` otherwise. */
  inboxItem: { input: { readonly id: string; readonly reveal?: boolean }; output: InboxItem };
  decide: {
    input: {
      readonly id: string;
      /** One of the item's actions. */
      readonly action: string;
      /** Keys of the parts that are meant; absent: all. */
      readonly parts?: readonly string[];
      /** Origin of the decision; absent: the dashboard. */
      readonly by?: 'command line';
    };
    output: DecisionResult;
  };
  /** Takes a decision back. */
  undecide: { input: { readonly id: string }; output: PastDecision };
}
