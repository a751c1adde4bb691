/** Requests about the steps of sessions: what each client app requested and received. */
import { z } from 'zod';
import type { StepTotals } from '../../core/activity/activity-worker/step-search.ts';
import type { StepKind } from '../../core/activity/steps/step.ts';
import type { CallSummary, PayloadText } from './activity.ts';
import { count, flag, maybe, name, text, type Methods, type Nothing, type Parsed } from './fields.ts';

/** A short description of the request, secrets masked. */
export interface StepLabelFacts {
  /** Grows with the time of the start. */
  readonly id: number;
  readonly at: number;
  readonly sessionId: string;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Name of whose it is, where somebody sees those of a whole team. */
  readonly user?: string;
  readonly mode: string;
  readonly kind: StepKind;
  /** The tool, prompt or address that was asked for; else the method. */
  readonly name: string;
  /** The words of a search, the tool that a helper was to call; may be empty. */
  readonly what: string;
  /** Calls of servers' tools that ran for it. */
  readonly callCount: number;
}

export interface StepSummary extends StepLabelFacts {
  readonly durationMs: number;
  readonly outcome: CallSummary['outcome'];
  readonly error: string | undefined;
  readonly requestBytes: number;
  readonly modelBytes: number;
  /**
   * Tokens by the ledger: given to the app, sent by servers for it, and what its model would have read without us and
   * did read, as the savings have it. Absent until counted, or where no model reads.
   */
  readonly given: number | undefined;
  readonly raw: number | undefined;
  readonly baseline: number | undefined;
  readonly loaded: number | undefined;
  /** The first of its calls. */
  readonly calls: readonly CallSummary[];
}

export interface OpenStepSummary extends StepLabelFacts {
  readonly canCancel: boolean;
  /** Progress as the server reports it. */
  readonly progress?: {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  };
}

/** One step in full, with the beginnings of its texts (64 Ki characters) and up to 1 000 of its calls. */
export interface StepDetail extends StepSummary {
  readonly payloads: Readonly<Record<'request' | 'modelResult', PayloadText>>;
}

export interface TimelineSession {
  readonly id: string;
  readonly app: string;
  readonly appName: string;
  /** Name of whose it is, where somebody sees those of a whole team. */
  readonly user?: string;
  /** Now, where it is live; else as it was last. */
  readonly mode: string;
  readonly isLive: boolean;
  /** Time of its first and last step on record. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Tokens that its app was given. */
  readonly given: number;
  /**
   * Longer answers to it are kept on disk, in bytes, 0: none is; undefined: a user's, whom nothing is kept from, or a
   * team's, whose config says it.
   */
  readonly limitBytes: number | undefined;
}

export interface TimelineOverview {
  /** Moves when steps were written. */
  readonly revision: number;
  /** Steps that are still running, oldest first. */
  readonly open: readonly OpenStepSummary[];
  /** How many run besides. */
  readonly more: number;
}

/** Schemas of the inputs. */
export const timelineInputs = {
  steps: z.object({
    /** Name of the user, in a team. */
    user: maybe(name),
    sessionId: maybe(name),
    app: maybe(name),
    /** Server that a call of the step went to. */
    server: maybe(name),
    /** In names and in payloads. */
    text: maybe(text),
    /** Only steps that did not end well. */
    problems: maybe(flag),
    /** Only steps with a spilled result. */
    spilled: maybe(flag),
    blocked: maybe(flag),
    /** In ms since 1970; `until` itself is outside. */
    since: maybe(count),
    until: maybe(count),
    beforeId: maybe(count),
    afterId: maybe(count),
    limit: maybe(count.min(1).max(1000)),
  }),
  step: z.object({ id: count }),
  stepPayload: z.object({ id: count, side: z.enum(['request', 'modelResult']), from: count }),
  cancelStep: z.object({ id: count }),
  timelineSessions: z.object({ user: maybe(name) }),
};

export type StepQuery = Parsed<typeof timelineInputs.steps>;

interface TimelineOutputs {
  /** Sums are of all steps that fit, not of the page alone. */
  steps: {
    readonly steps: readonly StepSummary[];
    readonly sums: StepTotals;
    /** How many there are in the same session and time, whatever else is asked for. */
    readonly all: number;
    readonly more: boolean;
    /** So many of the newest were looked through for a filter, and none that are older; missing: all were. */
    readonly lookedThrough?: number;
    /**
     * Savings since then without a step on record: tokens without and with Tooltray. Present if a period is
     * requested.
     */
    readonly unrecorded?: { readonly withoutTooltray: number; readonly withTooltray: number };
  };
  step: StepDetail;
  /** More of a text, in parts of 64 Ki characters. */
  stepPayload: PayloadText;
  /** Ends what runs, for the user; its app is told by whom. Rejects with AppError `not_found` where it is over. */
  cancelStep: Nothing;
  /** Sessions with the newest steps first, at most 100. */
  timelineSessions: { readonly sessions: readonly TimelineSession[] };
}

export type TimelineMethods = Methods<typeof timelineInputs, TimelineOutputs>;
