/** An answer whose parts are written but not in the store yet; plain data that crosses between threads. */
import type { SpillKind, SpillSummary } from '../spill.ts';

export interface DraftedPart {
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly extension: string;
  readonly bytes: number;
  readonly lines: number | undefined;
  readonly summary: SpillSummary;
  /** Where its bytes are: in a file, or here. */
  readonly file: string | undefined;
  readonly content: Uint8Array | undefined;
}

export interface DraftedAnswer {
  /** The main one first; never empty. */
  readonly parts: readonly DraftedPart[];
  /** JSON of `AnswerRemains`: numbers in their own spelling do not cross between threads. */
  readonly remains: string;
}

/** What is not in a part: blocks that are given as they are, and the members of the result. */
export interface AnswerRemains {
  readonly inline: readonly Record<string, unknown>[];
  readonly rest: Record<string, unknown>;
}
