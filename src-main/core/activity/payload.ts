/** The payloads of a call or step as read: three sides, each a text or the reason why there is none. */
import type { PayloadDropReason } from './call-record.ts';

export const payloadSides = ['request', 'serverResult', 'modelResult'] as const;
/** The model's request, the server's result, and the result returned to the model. */
export type PayloadSide = (typeof payloadSides)[number];

/**
 * Why a side has no text of its own: there was no payload; it equals the server's result; it is stored as a spill; it
 * was too long to store.
 */
export const payloadAbsences = ['nothing', 'same', 'spilled', 'too-long'] as const;
export type PayloadGap = (typeof payloadAbsences)[number];

/** `gone`: deleted for its age or for space; `failed`: the stored row is damaged. */
export type PayloadAbsence = PayloadGap | PayloadDropReason | 'gone' | 'failed';

/** The part of a payload around a word that a search found, secrets masked. */
export interface Snippet {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export interface PayloadQuery {
  /** Id of a call or a step. */
  readonly id: number;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** Reason given in the record. */
  readonly dropReason: PayloadDropReason | undefined;
  readonly sides: readonly PayloadSide[];
  /** In UTF-16 units of the masked text. */
  readonly from: number;
  readonly length: number;
}

/** A part of a masked text, or the reason why there is none. `next`: where the rest begins; undefined at the end. */
export type PayloadExcerpt =
  | { readonly text: string; readonly next: number | undefined }
  | { readonly none: PayloadAbsence };

export type PayloadExcerpts = Partial<Readonly<Record<PayloadSide, PayloadExcerpt>>>;
