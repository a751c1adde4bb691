/** What the core and the thread that reads kept answers say to each other. */
import type { ErrorCode } from '../../base/errors.ts';
import type { RecordPage, RecordRange, ResultAnswer, ResultQuestion } from '../result-files.ts';
import type { SpillKind } from '../spill.ts';
import type { LineIndex } from './line-index.ts';

/** The file that is read: open in this process for as long as somebody reads. */
export interface ReadTarget {
  readonly fd: number;
  /** What the answer calls it. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
}

export type ReaderQuestion = ResultQuestion | ({ readonly op: 'page' } & RecordRange);

export interface ReadRequest {
  readonly target: ReadTarget;
  readonly question: ReaderQuestion;
  /** Longest text that is given, in bytes (UTF-8). */
  readonly maxBytes: number;
  /** What an earlier question found out about the lines. */
  readonly index: LineIndex | undefined;
  /** 0 until it begins, then counted up with every step: a number that stands still tells of a step that does not end. */
  readonly steps: Int32Array<SharedArrayBuffer>;
}

export type ReadReply =
  | { readonly ok: true; readonly answer: ResultAnswer | RecordPage; readonly index: LineIndex | undefined }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly fix: string | undefined };

export function newSteps(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4));
}
