/** The record of every call: times, sizes and outcome. Arguments and results are stored separately (payloads/). */
import type { Masker } from '../base/mask.ts';
import type { CallTrace } from '../base/trace-context.ts';

export interface TokenCount {
  readonly tokens: number;
  /** Whether it is an estimate: the text was too large, or too much text was waiting. */
  readonly estimated: boolean;
}

export const callOutcomes = ['ok', 'tool_error', 'failed', 'cancelled', 'blocked'] as const;
/** In SQL: whether a call or a step with this outcome counts as a problem. A client's own cancel and a pause do not. */
export function isProblemIn(outcome: string): string {
  return `(${outcome} NOT IN ('ok', 'cancelled'))`;
}
export const isProblem = isProblemIn('outcome');
/**
 * `tool_error`: the tool returned isError; `failed`: there was no response; `cancelled`: the call was cancelled, or
 * Tooltray was paused; `blocked`: not allowed.
 */
export type CallOutcome = (typeof callOutcomes)[number];

/**
 * Why a large result was returned whole. `server`: called at the endpoint of one server, where everything passes;
 * `program`: a program of the model received it; `wanted`: a helper tool takes it whole; `off`: the limit is disabled;
 * `below`: it is below the limit; `payload`: its content is below the limit, the message around it does not count;
 * `media`: images or audio, which do not count; `unkept`: it could not be stored.
 */
export type UnspilledReason = 'server' | 'program' | 'wanted' | 'off' | 'below' | 'payload' | 'media' | 'unkept';

/** A value for each payload of a call: its arguments, the server's result, and the result returned to the model. */
export interface PerPayload<Value> {
  readonly request: Value;
  readonly serverResult: Value;
  readonly modelResult: Value;
}

export interface CallRecord {
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly sessionId: string;
  /** The client app's name. */
  readonly app: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  /** The helper tool it came through: `call_tool`, `execute`. */
  readonly via?: string | undefined;
  /** The purpose that the model stated for the call. */
  readonly why?: string | undefined;
  /** The argument that identifies the call (argument-preview.ts). */
  readonly preview?: string | undefined;
  /** How sensitive the model said the data is: `public`, `internal`, `private` or `unknown`. */
  readonly sensitivity?: string | undefined;
  /** The answer was kept on disk under this id. */
  readonly spillId?: string | undefined;
  /** The whole time and its stages, in ms. */
  readonly durationMs: number;
  readonly resolveMs: number;
  readonly allowMs: number;
  readonly callMs: number;
  readonly shapeMs: number;
  readonly argumentBytes: number;
  /** Size of the server's result, and of the result returned to the model. */
  readonly resultBytes: number;
  readonly givenBytes: number;
  /** Tokens of the arguments, of what the server sent and of what was returned; missing until counted. */
  readonly tokensIn?: number | undefined;
  readonly tokensSent?: number | undefined;
  readonly tokensOut?: number | undefined;
  /** Why a large result was returned whole (calls/why-whole.ts), and the limit that it is below, in bytes. */
  readonly passed?: UnspilledReason | undefined;
  readonly limitBytes?: number | undefined;
  /** Equal calls with equal results in a row, if the model was told so. */
  readonly repeats?: number | undefined;
  readonly outcome: CallOutcome;
  readonly errorCode?: string | undefined;
  readonly errorText?: string | undefined;
  /** The step that it ran for. */
  readonly step?: number | undefined;
  /** The user; absent on a desktop, which has one user. */
  readonly user?: string | undefined;
  /** Why its texts were not kept, where they were not. */
  readonly unkept?: PayloadDropReason | undefined;
  /** The trace that the call belongs to, if traces are collected; passed on but not stored. */
  readonly trace?: CallTrace | undefined;
}

/** `off`: by the settings; `busy`: too much waited to be written. */
export type PayloadDropReason = 'off' | 'busy';

/** A record as it comes back from the database. */
export interface ActivityEntry extends CallRecord {
  /** Grows with every record; pages are asked for with it. */
  readonly id: number;
  /** Some of its token counts are estimates: the texts were too large or too many to be counted. */
  readonly tokensEstimated: boolean;
  /**
   * Ids of the rules of the scan that its answer met, with blanks between; missing where there are none, or not yet.
   */
  readonly labels?: string | undefined;
}

export interface ActivityFilter {
  readonly app?: string;
  readonly mode?: string;
  readonly outcome?: CallOutcome;
  readonly server?: string;
  readonly sessionId?: string;
  readonly tool?: string;
  /** Only records older than this one. */
  readonly beforeId?: number;
  /** Only calls started at this time or later, in ms since the epoch. */
  readonly since?: number;
}

/** Fields that few records have, stored in tables of their own. */
export type SparseFields = Pick<CallRecord, 'unkept' | 'passed' | 'limitBytes' | 'repeats'>;

/** A call record as the values of one row: masked, bounded, and of the types the table wants. */
export type CallRow = readonly (string | number | null)[];

interface Column {
  readonly name: Exclude<keyof CallRecord, 'trace'>;
  readonly kind: 'text' | 'integer' | 'real';
  /** May be missing. */
  readonly optional?: true;
}

export const columns: readonly Column[] = [
  { name: 'startedAt', kind: 'integer' },
  { name: 'sessionId', kind: 'text' },
  { name: 'app', kind: 'text' },
  { name: 'mode', kind: 'text' },
  { name: 'server', kind: 'text' },
  { name: 'tool', kind: 'text' },
  { name: 'via', kind: 'text', optional: true },
  { name: 'durationMs', kind: 'real' },
  { name: 'resolveMs', kind: 'real' },
  { name: 'allowMs', kind: 'real' },
  { name: 'callMs', kind: 'real' },
  { name: 'shapeMs', kind: 'real' },
  { name: 'argumentBytes', kind: 'integer' },
  { name: 'resultBytes', kind: 'integer' },
  { name: 'givenBytes', kind: 'integer' },
  { name: 'tokensIn', kind: 'integer', optional: true },
  { name: 'tokensOut', kind: 'integer', optional: true },
  { name: 'outcome', kind: 'text' },
  { name: 'errorCode', kind: 'text', optional: true },
  { name: 'errorText', kind: 'text', optional: true },
  { name: 'why', kind: 'text', optional: true },
  { name: 'spillId', kind: 'text', optional: true },
  { name: 'sensitivity', kind: 'text', optional: true },
  { name: 'step', kind: 'integer', optional: true },
  { name: 'tokensSent', kind: 'integer', optional: true },
  { name: 'user', kind: 'text', optional: true },
  { name: 'preview', kind: 'text', optional: true },
];

/** Longest texts kept, in characters: a name, and what an error said. */
const maxNameLength = 300;
const maxErrorLength = 2000;

/** Texts come from models and servers: they may hold a secret, be endless, or hold half a surrogate pair. */
export function toRow(call: CallRecord, masker: Pick<Masker, 'maskText'>): CallRow {
  return columns.map(({ name, kind, optional }) => {
    const value = call[name];
    if (value === undefined && optional) return null;
    if (kind === 'text') {
      return masker
        .maskText(String(value ?? ''))
        .slice(0, name === 'errorText' ? maxErrorLength : maxNameLength)
        .toWellFormed();
    }
    const amount = Number.isFinite(value) ? Number(value) : 0;
    return kind === 'integer' ? Math.round(amount) : amount;
  });
}

/** About how much room the row takes in the database, in bytes. */
export function rowBytes(row: CallRow): number {
  return row.reduce<number>((sum, value) => {
    if (value === null) return sum + 1;
    return sum + (typeof value === 'string' ? Buffer.byteLength(value) : 9);
  }, 0);
}
