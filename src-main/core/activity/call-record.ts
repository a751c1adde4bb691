/** The record of every call: times, sizes and outcome. Arguments and results are stored separately (payloads/). */
import type { Masker } from '../base/mask.ts';
import type { CallTrace } from '../base/trace-context.ts';

export interface TokenCount {
  readonly tokens: number;
  /** Whether it is an estimate: the text was too large, or too much text was waiting. */
  readonly estimated: boolean;
}

export const callOutcomes = ['ok', 'tool_error', 'failed', 'cancelled', 'blocked'] as const;
/** In SQL: whether an outcome counts as a problem. A client's own cancellation and a pause do not. */
export function isProblemIn(outcome: string): string {
  return `(${outcome} NOT IN ('ok', 'cancelled'))`;
}
export const isProblem = isProblemIn('outcome');
/**
 * `tool_error`: the tool returned isError; `failed`: there was no response; `cancelled`: the call was cancelled,
 * Tooltray was paused, or the server was stopped meanwhile; `blocked`: not allowed.
 */
export type CallOutcome = (typeof callOutcomes)[number];

/**
 * Why a large result was returned whole. `server`: called at the endpoint of one server, where everything passes;
 * `program`: a program of the model received it; `wanted`: a helper tool takes it whole; `off`: the limit is disabled;
 * `below`: it is below the limit; `payload`: its content is below the limit, the message around it does not count;
 * `media`: images or audio, which do not count; `notStored`: it could not be stored.
 */
export type UnspilledReason = 'server' | 'program' | 'wanted' | 'off' | 'below' | 'payload' | 'media' | 'notStored';

/** A large result that was returned whole. */
export interface UnspilledResult {
  readonly reason: UnspilledReason;
  /** The limit that it stays below. */
  readonly limitBytes?: number | undefined;
}

/** Time in each stage of a call, in ms. */
export interface StageTimes {
  readonly resolve: number;
  readonly allow: number;
  readonly call: number;
  readonly shape: number;
}

/** A value for each payload of a call: its arguments, the server's result, and the result returned to the model. */
export interface PerPayload<Value> {
  readonly request: Value;
  readonly serverResult: Value;
  readonly modelResult: Value;
}

/** Declarations of the model about its call: free texts that nothing verifies. */
export interface DeclaredIntent {
  /** The purpose of the call. */
  readonly reason?: string | undefined;
  /** How sensitive the data is: `public`, `internal`, `private` or `unknown`. */
  readonly sensitivity?: string | undefined;
}

export interface CallRecord {
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly sessionId: string;
  /** The user; absent on a desktop, which has one user. */
  readonly user?: string | undefined;
  /** The client app's name. */
  readonly app: string;
  readonly mode: string;
  readonly server: string;
  readonly tool: string;
  /** The helper tool that the call came through: `call_tool`, `execute`. */
  readonly via?: string | undefined;
  readonly declared?: DeclaredIntent | undefined;
  /** The argument that identifies the call (argument-preview.ts). */
  readonly preview?: string | undefined;
  /** The ID of the spilled result. */
  readonly spillId?: string | undefined;
  readonly unspilled?: UnspilledResult | undefined;
  /** Number of equal calls with equal results in a row, if the model was told. */
  readonly repeats?: number | undefined;
  readonly durationMs: number;
  readonly stages: StageTimes;
  readonly bytes: PerPayload<number>;
  readonly outcome: CallOutcome;
  readonly error?: { readonly code: string; readonly text: string } | undefined;
  /** The step that the call belongs to. */
  readonly step?: number | undefined;
  /** The trace that the call belongs to, if traces are collected; emitted but not stored. */
  readonly trace?: CallTrace | undefined;
}

/** `off`: disabled by the settings; `busy`: too much was pending. */
export type PayloadDropReason = 'off' | 'busy';

/** A record as it is read from the database. */
export interface ActivityEntry extends CallRecord {
  /** Increases with every record; used for paging. */
  readonly id: number;
  /** Undefined until counted. `estimated`: whether at least one of them is an estimate. */
  readonly tokens: PerPayload<number | undefined> & { readonly estimated: boolean };
  /**
   * IDs of the scan rules that the result matched, separated by spaces; undefined if there are none, or until scanned.
   */
  readonly labels?: string | undefined;
  /** Why the payloads were not stored. */
  readonly dropReason?: PayloadDropReason | undefined;
}

/** Fields that few records have, stored in tables of their own. */
export interface SparseFields extends Pick<CallRecord, 'unspilled' | 'repeats'> {
  readonly dropReason?: PayloadDropReason | undefined;
}

/** A call record as the values of one row: masked, bounded, and of the column types. */
export type CallRow = readonly (string | number | null)[];

interface Column {
  readonly name: string;
  readonly kind: 'text' | 'integer' | 'real';
  /** Undefined is stored as NULL if the column is optional, otherwise as an empty text or 0. */
  readonly valueOf: (call: CallRecord) => string | number | undefined;
  readonly optional?: true;
}

export const columns: readonly Column[] = [
  { name: 'startedAt', kind: 'integer', valueOf: ({ startedAt }) => startedAt },
  { name: 'sessionId', kind: 'text', valueOf: ({ sessionId }) => sessionId },
  { name: 'app', kind: 'text', valueOf: ({ app }) => app },
  { name: 'mode', kind: 'text', valueOf: ({ mode }) => mode },
  { name: 'server', kind: 'text', valueOf: ({ server }) => server },
  { name: 'tool', kind: 'text', valueOf: ({ tool }) => tool },
  { name: 'via', kind: 'text', valueOf: ({ via }) => via, optional: true },
  { name: 'durationMs', kind: 'real', valueOf: ({ durationMs }) => durationMs },
  { name: 'resolveMs', kind: 'real', valueOf: ({ stages }) => stages.resolve },
  { name: 'allowMs', kind: 'real', valueOf: ({ stages }) => stages.allow },
  { name: 'callMs', kind: 'real', valueOf: ({ stages }) => stages.call },
  { name: 'shapeMs', kind: 'real', valueOf: ({ stages }) => stages.shape },
  { name: 'requestBytes', kind: 'integer', valueOf: ({ bytes }) => bytes.request },
  { name: 'serverResultBytes', kind: 'integer', valueOf: ({ bytes }) => bytes.serverResult },
  { name: 'modelResultBytes', kind: 'integer', valueOf: ({ bytes }) => bytes.modelResult },
  { name: 'outcome', kind: 'text', valueOf: ({ outcome }) => outcome },
  { name: 'errorCode', kind: 'text', valueOf: ({ error }) => error?.code, optional: true },
  { name: 'errorText', kind: 'text', valueOf: ({ error }) => error?.text, optional: true },
  { name: 'reason', kind: 'text', valueOf: ({ declared }) => declared?.reason, optional: true },
  { name: 'spillId', kind: 'text', valueOf: ({ spillId }) => spillId, optional: true },
  { name: 'sensitivity', kind: 'text', valueOf: ({ declared }) => declared?.sensitivity, optional: true },
  { name: 'step', kind: 'integer', valueOf: ({ step }) => step, optional: true },
  { name: 'user', kind: 'text', valueOf: ({ user }) => user, optional: true },
  { name: 'preview', kind: 'text', valueOf: ({ preview }) => preview, optional: true },
];

/** Maximum length of a name, and of an error message, in characters. */
const maxNameLength = 300;
const maxErrorLength = 2000;

/** Texts come from models and servers: they may contain a secret, be very long, or contain half of a surrogate pair. */
export function toRow(call: CallRecord, masker: Pick<Masker, 'maskText'>): CallRow {
  return columns.map(({ name, kind, valueOf, optional }) => {
    const value = valueOf(call);
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

/** Approximate size of the row in the database, in bytes. */
export function rowBytes(row: CallRow): number {
  return row.reduce<number>((sum, value) => {
    if (value === null) return sum + 1;
    return sum + (typeof value === 'string' ? Buffer.byteLength(value) : 9);
  }, 0);
}
