/** Requests about recorded calls and their payloads. */
import { z } from 'zod';
import {
  callOutcomes,
  type CallOutcome,
  type PerPayload,
  type DeclaredIntent,
  type StageTimes,
  type UnspilledResult,
} from '../../core/activity/call-record.ts';
import type { Snippet } from '../../core/activity/payload.ts';
import type { LabelDescription } from '../../core/calls/describe-labels.ts';
import { count, flag, maybe, name, text, type Methods, type Parsed } from './fields.ts';

export type { Snippet } from '../../core/activity/payload.ts';
export type { UnspilledReason } from '../../core/activity/call-record.ts';

export interface ActivityOverview {
  /** Grows with each recorded call: the table asks for newer ones when it moves. */
  readonly lastId: number;
  /** The most recent calls; consecutive equal ones are combined. */
  readonly recent: readonly (CallSummary & { readonly times: number })[];
  readonly costliest: readonly { readonly server: string; readonly tokens: number; readonly calls: number }[];
}

export interface CallSummary {
  readonly id: number;
  readonly at: number;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Name of the calling user, for viewers who see a whole team's calls. */
  readonly user?: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  readonly via: string | undefined;
  /** The argument that identifies it, secrets masked; may be empty. */
  readonly preview: string;
  /** The reason for the call and the sensitivity of its data, as the model declared them. */
  readonly declared: DeclaredIntent;
  readonly outcome: CallOutcome;
  readonly error: string | undefined;
  readonly durationMs: number;
  /** Undefined until counted. `estimated`: whether at least one of them is an estimate. */
  readonly tokens: PerPayload<number | undefined> & { readonly estimated: boolean };
  readonly bytes: PerPayload<number>;
  /** Why a large result was returned whole, and the limit in question; undefined for a small or a spilled result. */
  readonly unspilled: UnspilledResult | undefined;
  /** Number of consecutive equal calls with equal results, if the model was told about them. */
  readonly repeats: number | undefined;
  /** The ID of the spilled result. */
  readonly spillId: string | undefined;
  /** Scan findings in the result; empty if there are none or it has not been scanned yet. */
  readonly labels: readonly LabelDescription[];
  /** Places of a searched text in its payloads. */
  readonly snippet?: Snippet | undefined;
}

/** Totals cover everything that matches the query, not just the page. */
export interface ActivityPage {
  readonly calls: readonly CallSummary[];
  readonly total: number;
  readonly failed: number;
  readonly tokens: Pick<PerPayload<number>, 'request' | 'modelResult'>;
  readonly more: boolean;
  /** ID of the newest recorded call, whether it matches or not; 0 if there is none. */
  readonly lastId: number;
  /** Matching calls newer than `afterId`, on this page and beyond; present if `afterId` was given. */
  readonly newer?: { readonly calls: number; readonly problems: number };
}

/** The request, the server result, or the result returned to the model. */
const payloadSide = z.enum(['request', 'serverResult', 'modelResult']);
export type PayloadSide = z.output<typeof payloadSide>;

/**
 * Reason for a missing text: there was no payload; it equals the server's result; it is or was a spill; it was too
 * long;
 * the settings exclude it; too many writes were pending; it could not be read; it expired or was evicted.
 */
export type MissingPayload =
  | 'nothing'
  | 'same'
  | 'spilled'
  | 'spill-deleted'
  | 'too-long'
  | 'off'
  | 'busy'
  | 'failed'
  | 'gone';

/** Part of a text, masked; `next`: offset of the remainder, undefined at the end. */
export type PayloadText =
  | { readonly text: string; readonly next: number | undefined }
  | { readonly none: MissingPayload };

/** One call in full, with the first 64 Ki characters of each payload. */
export interface CallDetail extends CallSummary {
  /** The server lists a view for its tool. */
  readonly hasView: boolean;
  readonly payloads: Readonly<Record<PayloadSide, PayloadText>>;
  /** Time in each stage, in ms. */
  readonly stages: StageTimes;
}

/** Schemas of the inputs. */
export const activityInputs = {
  activity: z.object({
    text: maybe(text),
    outcomes: maybe(z.array(z.enum(callOutcomes)).max(5)),
    /** Only calls with a spilled result. */
    spilled: maybe(flag),
    /** Name of the user, in a team. */
    user: maybe(name),
    app: maybe(name),
    server: maybe(name),
    /** Start of the call, in ms since 1970; `until` is exclusive. */
    since: maybe(count),
    until: maybe(count),
    beforeId: maybe(count),
    afterId: maybe(count),
    /** 0 returns only totals and `newer`. */
    limit: maybe(count.max(1000)),
  }),
  callDetail: z.object({ id: count }),
  callPayload: z.object({ id: count, side: payloadSide, from: count }),
};

export type ActivityQuery = Parsed<typeof activityInputs.activity>;

interface ActivityOutputs {
  activity: ActivityPage;
  callDetail: CallDetail;
  /** The next part of a long text, from the previous part's `next`. */
  callPayload: PayloadText;
}

export type ActivityMethods = Methods<typeof activityInputs, ActivityOutputs>;
