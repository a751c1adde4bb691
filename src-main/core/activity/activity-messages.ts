/** Messages between the core and the thread that owns the activity database. */
import type { SecretMatchers } from '../base/secret-matchers.ts';
import type { ResultSize } from '../spills/spill-writer-messages.ts';
import type { AnnotationKind } from './annotations.ts';
import type { CallRecord, PerPayload, TokenCount } from './call-record.ts';
import type { ResultIntake } from './ledger/ledger-entry.ts';
import type { Cause, ResultKind } from './ledger/ledger-entry.ts';
import type { StepRecord } from './steps/step.ts';

/** A text of a call or step. Events of one batch that refer to the same object share one copy of it. */
export interface SharedText {
  /** In UTF-8. */
  readonly bytes: number;
  /** The text, or its bytes in UTF-8; undefined if it is too long, or too much text was pending. */
  readonly text: string | Uint8Array<ArrayBuffer> | undefined;
  /** Pieces of a text that is too long to send; the count of their tokens times `scale` estimates that of the whole. */
  readonly sample?: { readonly text: string; readonly scale: number };
  /** The measured size of a result that is held as bytes. */
  readonly size?: ResultSize;
  /** A result with structured content, which may repeat its texts. */
  readonly isStructured?: true;
}

/** A finished call without what is only emitted. */
export type StoredCall = Omit<CallRecord, 'trace'>;

/** Texts of a call; undefined if it has none. `given` is the same object as `result` if nothing changed it. */
export interface CallTexts {
  readonly arguments: SharedText;
  readonly result: SharedText | undefined;
  readonly given: SharedText | undefined;
  /** Tokens of the server's result, if it was spilled and counted then. */
  readonly spilled: TokenCount | undefined;
}

/** A call of a server's tool, as the ledger needs it. */
export interface LedgerCallTexts {
  readonly server: string;
  readonly tool: string;
  readonly via: string | undefined;
  /** The server's result and the result returned to the model; undefined if there was none. */
  readonly result: SharedText | undefined;
  readonly given: SharedText | undefined;
  readonly isUntouched: boolean;
  readonly spilled: TokenCount | undefined;
  readonly taker: ResultIntake;
}

export interface LedgerOwner {
  readonly id: string;
  /** The user, if several share the core. */
  readonly user?: string | undefined;
  readonly app: string;
  readonly mode: string;
}

/** A text on one side of the comparison. */
export interface LedgerText {
  readonly cause: Cause;
  readonly server: string;
  readonly tool: string;
  readonly side: 'loaded' | 'baseline';
  readonly text: SharedText;
}

/** The addition of one frame to the ledger. */
export interface Booking {
  readonly owner: LedgerOwner;
  /** The step whose request the frame answers. */
  readonly step: number | undefined;
  /** ms since the epoch. */
  readonly at: number;
  readonly cause: Cause;
  readonly tool: string;
  /** The payload that crossed the connection; undefined if none did. */
  readonly payload: SharedText | undefined;
  /** The text that the model reads of it, if different. */
  readonly loaded?: SharedText | undefined;
  /** Whether the app would have read the same without Tooltray. */
  readonly isDirect: boolean;
  readonly others: readonly LedgerText[];
  /** For the result of a tools/call. */
  readonly result?: {
    readonly kind: ResultKind;
    readonly request: number;
    readonly taker: ResultIntake;
    /** Session whose late calls it takes: those that ended after their own request was answered. */
    readonly lateOf: number | undefined;
  };
}

export type ActivityEvent =
  | { readonly kind: 'call'; readonly call: StoredCall; readonly texts?: CallTexts; readonly ref?: number }
  | { readonly kind: 'labels'; readonly ref: number; readonly labels: string }
  /** `request` is undefined if the texts of the step are those of its only call. */
  | { readonly kind: 'step'; readonly step: StepRecord; readonly request?: SharedText; readonly given?: SharedText }
  | { readonly kind: 'running'; readonly steps: readonly StepRecord[]; readonly at: number }
  | { readonly kind: 'annotation'; readonly at: number; readonly type: AnnotationKind; readonly what: string }
  | { readonly kind: 'ledgerCall'; readonly request: number; readonly call: LedgerCallTexts }
  | { readonly kind: 'lateCall'; readonly session: number; readonly call: LedgerCallTexts }
  | { readonly kind: 'requestEnded'; readonly request: number }
  | { readonly kind: 'sessionEnded'; readonly session: number }
  | ({ readonly kind: 'booking' } & Booking);

export interface PayloadLimits {
  readonly retentionDays: number;
  /** Maximum size of all payloads and their index. */
  readonly maxBytes: number;
}

/** A database and its limits. Sent with every message, because the thread may be a new one. */
export interface ActivityFile {
  readonly file: string;
  /** Maximum number of calls, of steps, and of payloads. */
  readonly maxRows: number;
  /** Maximum size of everything but payloads. */
  readonly maxBytes: number;
  /** Whether payloads are stored, and for how long. */
  readonly payloads: PayloadLimits & { readonly keep: boolean };
  /** Identifies the run of the core, over restarts of the thread. */
  readonly run: string;
  /** Secrets known at the time. */
  readonly known: SecretMatchers;
}

export type ActivityRequest = ActivityFile & { readonly number: number } & (
    | { readonly kind: 'events'; readonly events: readonly ActivityEvent[] }
    | { readonly kind: 'ask'; readonly name: string; readonly args: readonly unknown[] }
    /** Writes everything and closes the file. `forget`: first deletes all payloads. */
    | { readonly kind: 'close'; readonly forget: boolean }
  );

/** An error in transferable form; codes are those of the operating system and of SQLite. */
export interface ActivityFailure {
  readonly message: string;
  readonly code?: string;
  readonly errcode?: number;
  readonly path?: string;
}

export type CallTokens = PerPayload<number> & { readonly estimated: boolean };

/**
 * `number` is that of the request; a batch of events is answered when all of it is on disk. Replies without a number
 * are notices about a file.
 */
export type ActivityReply =
  | { readonly number: number; readonly value?: unknown; readonly failure?: ActivityFailure }
  | {
      readonly file: string;
      readonly notice: 'written';
      readonly counted: readonly CallTokens[];
      readonly hasSteps: boolean;
    }
  | { readonly file: string; readonly notice: 'failed' | 'refused'; readonly failure: ActivityFailure }
  | { readonly file: string; readonly notice: 'aside'; readonly aside: string; readonly failure: ActivityFailure };

export function toFailure(error: unknown): ActivityFailure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, errcode, path } = error as Error & Partial<ActivityFailure>;
  return {
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof errcode === 'number' && { errcode }),
    ...(typeof path === 'string' && { path }),
  };
}

export function toError(failure: ActivityFailure): Error {
  return Object.assign(new Error(failure.message), failure);
}
