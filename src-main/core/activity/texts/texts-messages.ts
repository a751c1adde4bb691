/** What the core and the thread that keeps the texts of calls say to each other. */
import type { SecretMatchers } from '../../base/secret-spellings.ts';
import type { UrgencyFlag } from '../../base/worker-line.ts';

export const payloadSides = ['asked', 'sent', 'given'] as const;
/** What the model asked, what the server sent, what the model was given. */
export type PayloadSide = (typeof payloadSides)[number];

/**
 * Why a side has no text of its own: nothing was said; it is what the server sent; it lies on disk as a kept answer; it was too
 * long to be kept.
 */
export const payloadAbsences = ['nothing', 'same', 'kept-answer', 'too-long'] as const;
export type PayloadGap = (typeof payloadAbsences)[number];

/** A text, or its bytes in UTF-8. */
export type PayloadSideInput = { readonly text: string | Uint8Array<ArrayBuffer> } | { readonly none: PayloadGap };

export interface PayloadRow {
  /** Of the call's record. */
  readonly id: number;
  /** ms since the epoch: an id alone may be another call's, where the record of calls was begun anew. */
  readonly startedAt: number;
  readonly sides: Readonly<Record<PayloadSide, PayloadSideInput>>;
}

export interface PayloadLimits {
  readonly keepDays: number;
  /** Of the file. */
  readonly maxBytes: number;
  /** Of calls: so many records are kept at the most. */
  readonly maxRows: number;
}

export interface PayloadRange {
  readonly sides: readonly PayloadSide[];
  /** In UTF-16 units of the masked text. */
  readonly from: number;
  readonly length: number;
}

/** A part of a masked text; `next`: where the rest begins, undefined at its end. */
export type PayloadSideRead =
  | { readonly text: string; readonly next: number | undefined }
  | { readonly none: PayloadGap };

export type PayloadRead = Partial<Readonly<Record<PayloadSide, PayloadSideRead>>>;

/** What the thread is begun with. */
export interface PayloadWorkerData {
  readonly file: string;
  readonly hurry: UrgencyFlag;
}

/** Every question is answered, in the order in which they came. */
export type PayloadRequest = { readonly number: number } & (
  | {
      readonly kind: 'put';
      /** By what was secret when they were said: calls of one batch may know different secrets. */
      readonly known: SecretMatchers;
      readonly calls: readonly PayloadRow[];
      readonly limits: PayloadLimits;
    }
  | {
      readonly kind: 'find';
      /** What is secret now. */
      readonly known: SecretMatchers;
      readonly id: number;
      readonly startedAt: number;
      readonly range: PayloadRange;
      readonly limits: PayloadLimits;
    }
  | { readonly kind: 'search'; readonly text: string; readonly limit: number; readonly limits: PayloadLimits }
  | { readonly kind: 'prune'; readonly limits: PayloadLimits }
  | { readonly kind: 'forget' }
  | { readonly kind: 'close' }
);

/** What crosses between threads of an error; the codes are those of the operating system and of SQLite. */
export interface TextsFailure {
  readonly message: string;
  readonly code?: string;
  readonly errcode?: number;
  readonly path?: string;
}

export interface PayloadResponse {
  readonly number: number;
  /** To `find`; undefined: there is no such call (any more). */
  readonly found?: PayloadRead | undefined;
  /** To `find` where there is none: it was never written, as far as is known; else it was deleted. */
  readonly neverWritten?: boolean;
  /** To `search`: ids of calls and steps, the newest first. */
  readonly ids?: readonly number[];
  /** To `search`: there are more than were asked for. */
  readonly more?: boolean;
  /** Why it could not be done. */
  readonly failure?: TextsFailure;
  /** Under which name a broken file was set aside. */
  readonly aside?: string;
}
