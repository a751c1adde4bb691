/** A spill: an answer, or a part of one, kept on disk. */
import type { JsonObject } from '../base/json.ts';

/** What the file holds; JSON is pretty-printed with one element per line, so that lines can be asked for. */
export type SpillKind = 'text' | 'json' | 'toon' | 'image' | 'audio' | 'binary';

/** Whose answer it is. */
export interface SpillOrigin {
  readonly sessionId: string;
  readonly app: string;
  readonly server: string;
  readonly tool: string;
}

export interface Spill extends SpillOrigin {
  /** Short and unguessable; `resultFile` takes it as well as the path, and `tooltray://spill/<id>` is its URI. */
  readonly id: string;
  /** The id of the first part of the same answer; its own where it is the first. */
  readonly answerId: string;
  /** Absolute path inside the store. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly mimeType: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Counted (o200k) where that was affordable, else estimated. */
  readonly tokens: number;
  readonly tokensEstimated: boolean;
  /** Lines of the file (parts between line feeds); undefined for what has none. */
  readonly lines: number | undefined;
  /** ms since the epoch. */
  readonly createdAt: number;
  readonly pinned: boolean;
  /** How often it was asked for, and when last. */
  readonly reads: number;
  readonly lastReadAt: number | undefined;
}

/** What a model is told of a spill in its place. */
export interface SpillSummary {
  /** What is inside, in a few lines: keys with types, lengths of arrays, ranges of numbers. */
  readonly shape: readonly string[];
  /** Keys of the topmost object, or elements of the topmost array; absent for what is neither. */
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
  /** The first and the last characters; `tail` is empty where `head` is all of it. */
  readonly head: string;
  readonly tail: string;
}

export interface KeptPart {
  readonly spill: Spill;
  readonly summary: SpillSummary;
}

/** An answer that was kept: its parts in the answer's order, the main one first. Small parts that stay in the answer are in `inline`. */
export interface KeptAnswer {
  readonly parts: readonly [KeptPart, ...KeptPart[]];
  /** Content blocks that are given as they are: links, small texts beside a big one. */
  readonly inline: readonly JsonObject[];
  readonly isError: boolean;
  /** `_meta` and unknown members of the result, kept beside its content. */
  readonly rest: JsonObject;
  /** The whole result in UTF-8, as it came. */
  readonly resultBytes: number;
  readonly resultTokens: number;
  readonly tokensEstimated: boolean;
}
