/** Messages between the core and the thread that stores payloads. */
import type { SecretMatchers } from '../../base/secret-matchers.ts';
import type { UrgencyFlag } from '../../base/workers.ts';

export const payloadSides = ['asked', 'sent', 'given'] as const;
/** The model's request, the server's result, and the result returned to the model. */
export type PayloadSide = (typeof payloadSides)[number];

/**
 * Why a side has no text of its own: nothing was said; it is what the server sent; it lies on disk as a kept answer; it
 * was too long to be kept.
 */
export const payloadAbsences = ['nothing', 'same', 'kept-answer', 'too-long'] as const;
export type PayloadGap = (typeof payloadAbsences)[number];

/** A text, or its bytes in UTF-8. */
export type PayloadSideInput = { readonly text: string | Uint8Array<ArrayBuffer> } | { readonly none: PayloadGap };

export interface PayloadRow {
  /** Id of the call's record. */
  readonly id: number;
  /** In ms since the epoch. An id alone may belong to another call if the activity record was started over. */
  readonly startedAt: number;
  readonly sides: Readonly<Record<PayloadSide, PayloadSideInput>>;
}

export interface PayloadLimits {
  readonly keepDays: number;
  /** Maximum size of the file. */
  readonly maxBytes: number;
  /** Maximum number of call records. */
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

/** Startup data of the thread. */
export interface PayloadWorkerData {
  readonly file: string;
  readonly hurry: UrgencyFlag;
}

/** Every question is answered, in the order in which they came. */
export type PayloadRequest = { readonly number: number } & (
  | {
      readonly kind: 'put';
      /** Secrets known at the time of the calls; they may differ within one batch. */
      readonly known: SecretMatchers;
      readonly calls: readonly PayloadRow[];
      readonly limits: PayloadLimits;
    }
  | {
      readonly kind: 'find';
      /** Secrets known now. */
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

/** An error in transferable form; codes are those of the operating system and of SQLite. */
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
