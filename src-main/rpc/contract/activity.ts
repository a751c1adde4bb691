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
import type { LabelDescription } from '../../core/calls/describe-labels.ts';
import { count, flag, maybe, name, text, type Methods, type Parsed } from './fields.ts';

export type { UnspilledReason } from '../../core/activity/call-record.ts';

export interface ActivityOverview {
  /** Grows with each recorded call: the table asks for newer ones when it moves. */
  readonly lastId: number;
  /** The last calls, equal ones in a row put together. */
  readonly recent: readonly (CallSummary & { readonly times: number })[];
  readonly costliest: readonly { readonly server: string; readonly tokens: number; readonly calls: number }[];
}

export interface CallSummary {
  readonly id: number;
  readonly at: number;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  /** Name of whose call it is, where somebody sees those of a whole team. */
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
  /** Equal calls with equal results in a row, if the model was told so. */
  readonly repeats: number | undefined;
  /** The ID of the spilled result. */
  readonly spillId: string | undefined;
  /** Findings of the scan in the result; empty for an ordinary one and until scanned. */
  readonly labels: readonly LabelDescription[];
}

/** Totals of everything that fits the query, not of the page alone. */
export interface ActivityPage {
  readonly calls: readonly CallSummary[];
  readonly total: number;
  readonly failed: number;
  readonly tokens: Pick<PerPayload<number>, 'request' | 'modelResult'>;
  readonly more: boolean;
  /** Id of the newest call on record, whether it fits or not; 0 without one. */
  readonly lastId: number;
  /** How many fit that are newer than `afterId`, where that was asked for: of those on the page and of those beyond. */
  readonly newer?: { readonly calls: number; readonly problems: number };
}

/** The request, the server result, or the result returned to the model. */
const payloadSide = z.enum(['request', 'serverResult', 'modelResult']);
export type PayloadSide = z.output<typeof payloadSide>;

/**
 * Why there is no text: there was no payload; it equals the server's result; it is a spill, or was one; it was too long;
 * the settings want none; too much waited to be written; it could not be read; it expired or was evicted.
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

/** A part of a text, masked; `next`: where the rest of it begins, undefined at its end. */
export type PayloadText =
  | { readonly text: string; readonly next: number | undefined }
  | { readonly none: MissingPayload };

/** One call in full, with the beginnings of its texts (64 Ki characters). */
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
    /** Start of the call, in ms since 1970; `until` itself is outside. */
    since: maybe(count),
    until: maybe(count),
    beforeId: maybe(count),
    afterId: maybe(count),
    /** 0: only totals and `newer`. */
    limit: maybe(count.max(1000)),
  }),
  callDetail: z.object({ id: count }),
  callPayload: z.object({ id: count, side: payloadSide, from: count }),
};

export type ActivityQuery = Parsed<typeof activityInputs.activity>;

interface ActivityOutputs {
  activity: ActivityPage;
  callDetail: CallDetail;
  /** The next part of a long text, from where the one before said. */
  callPayload: PayloadText;
}

export type ActivityMethods = Methods<typeof activityInputs, ActivityOutputs>;
