/** Requests about sessions' steps: what each client app requested and received. */
import { z } from 'zod';
import type { Snippet } from '../../core/activity/payload.ts';
import type { StepTotals } from '../../core/activity/activity-worker/step-search.ts';
import type { StepKind } from '../../core/activity/steps/step.ts';
import type { CallSummary, PayloadText } from './activity.ts';
import { count, flag, maybe, name, text, type Methods, type Nothing, type Parsed } from './fields.ts';

/** A short description of the request, secrets masked. */
export interface StepLabelFacts {
  /** Increases with the start time. */
  readonly id: number;
  readonly at: number;
  readonly sessionId: string;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Name of the user, for viewers who see a whole team's sessions. */
  readonly user?: string;
  readonly mode: string;
  readonly kind: StepKind;
  /** The requested tool, prompt, or URI; otherwise the method. */
  readonly name: string;
  /** The search query, or the tool that a helper called; may be empty. */
  readonly what: string;
  /** Number of server tool calls in this step. */
  readonly callCount: number;
}

export interface StepSummary extends StepLabelFacts {
  readonly durationMs: number;
  readonly outcome: CallSummary['outcome'];
  readonly error: string | undefined;
  readonly requestBytes: number;
  readonly modelBytes: number;
  /**
   * Tokens as in the ledger: returned to the app, sent by servers, and what its model would have read without Tooltray
   * and did read. Absent until counted, or if no model reads the result.
   */
  readonly given: number | undefined;
  readonly raw: number | undefined;
  readonly baseline: number | undefined;
  readonly loaded: number | undefined;
  /** The first of its calls. */
  readonly calls: readonly CallSummary[];
  /** Places of a searched text in its payloads. */
  readonly snippet?: Snippet | undefined;
}

export interface OpenStepSummary extends StepLabelFacts {
  readonly canCancel: boolean;
  /** Progress reported by the server. */
  readonly progress?: {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  };
}

/** One step in full, with the first 64 Ki characters of each payload and up to 1,000 of its calls. */
export interface StepDetail extends StepSummary {
  readonly payloads: Readonly<Record<'request' | 'modelResult', PayloadText>>;
}

export interface TimelineSession {
  readonly id: string;
  readonly app: string;
  readonly appName: string;
  /** Name of the user, for viewers who see a whole team's sessions. */
  readonly user?: string;
  /** Current mode of an open session; otherwise the last one. */
  readonly mode: string;
  readonly isLive: boolean;
  /** Time of its first and last recorded step. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Tokens returned to the app. */
  readonly given: number;
  /** Spill threshold in bytes, 0: never; undefined: the user's own runs, or a team whose config sets it. */
  readonly limitBytes: number | undefined;
}

export interface TimelineOverview {
  /** Increases when steps are written. */
  readonly revision: number;
  /** Steps that are still running, oldest first. */
  readonly open: readonly OpenStepSummary[];
  /** Number of further running steps. */
  readonly more: number;
}

/** Schemas of the inputs. */
export const timelineInputs = {
  steps: z.object({
    /** Name of the user, in a team. */
    user: maybe(name),
    sessionId: maybe(name),
    app: maybe(name),
    /** Server called by the step. */
    server: maybe(name),
    /** Searches names and payloads. */
    text: maybe(text),
    /** Only failed steps. */
    problems: maybe(flag),
    /** Only steps with a spilled result. */
    spilled: maybe(flag),
    blocked: maybe(flag),
    /** In ms since 1970; `until` is exclusive. */
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
  /** Totals cover all matching steps, not just the page. */
  steps: {
    readonly steps: readonly StepSummary[];
    readonly sums: StepTotals;
    /** Total number in the same session and time range, ignoring other filters. */
    readonly all: number;
    readonly more: boolean;
    /** Number of the newest steps that were filtered, if older ones were not; missing: all were. */
    readonly lookedThrough?: number;
    /**
     * Savings in the requested period without a recorded step: tokens without and with Tooltray. Present if a period
     * is requested.
     */
    readonly unrecorded?: { readonly withoutTooltray: number; readonly withTooltray: number };
  };
  step: StepDetail;
  /** The next part of a text, in chunks of 64 Ki characters. */
  stepPayload: PayloadText;
  /** Cancels a running step; its app is told by whom. Rejects with AppError `not_found` if it has ended. */
  cancelStep: Nothing;
  /** Sessions with the most recent steps first, at most 100. */
  timelineSessions: { readonly sessions: readonly TimelineSession[] };
}

export type TimelineMethods = Methods<typeof timelineInputs, TimelineOutputs>;
