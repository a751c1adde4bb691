/** What the core and the thread that writes answers say to each other. */
import type { DraftedAnswer } from './drafted-answer.ts';

export interface KeepJob {
  /** Absolute path that the names of the files begin with. */
  readonly stem: string;
  readonly mostBytes: number;
  readonly textKind: 'text' | 'toon';
}

export type ToKeepWorker =
  | { readonly kind: 'begin'; readonly job: KeepJob }
  /** The first `length` bytes; the memory goes over, and comes back with `taken`. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly kind: 'end' };

export type FromKeepWorker =
  | { readonly kind: 'taken'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The bytes are wanted once more from the start. */
  | { readonly kind: 'again' }
  | { readonly kind: 'kept'; readonly answer: DraftedAnswer }
  /** `code`: of the operating system, or `too_large`. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };
