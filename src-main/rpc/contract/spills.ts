/** Requests about spilled results: list, read, query, delete. */
import type { SpillRead, SqlRows } from '../../core/spills/spill-queries.ts';
import type { Nothing } from './nothing.ts';

export interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly retentionDays: number;
  /** Moves with every change of the store. */
  readonly revision: number;
}

export interface SpillRow {
  readonly id: string;
  readonly at: number;
  /** Display name of the app. */
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  /** The argument that identifies the call, secrets masked; may be empty. */
  readonly preview: string;
  readonly kind: 'text' | 'json' | 'toon' | 'image' | 'audio' | 'binary';
  readonly mimeType: string;
  /** The whole answer as the server sent it, also of a part of it; undefined where it is not on record. */
  readonly sentBytes: number | undefined;
  readonly sentTokens: number | undefined;
  readonly sentEstimated: boolean;
  /** Size of the file, which is laid out in lines and may hold a part of the result. */
  readonly bytes: number;
  readonly lines: number | undefined;
  readonly file: string;
  readonly pinned: boolean;
  readonly reads: number;
  /** undefined: never by itself. */
  readonly expiresAt: number | undefined;
}

/** Lines of a spill, fewer than asked for where they are long together; those longer than 4 000 characters are cut. */
export interface SpillLines {
  readonly fromLine: number;
  readonly lines: readonly string[];
  readonly totalLines: number;
  /** Lines (1-based) of this range that were cut. */
  readonly cut: readonly number[];
}

/** The text returned to the model in its place (empty if no longer held), and the parts read back since. */
export interface SpillUse {
  readonly given: string;
  readonly reads: readonly SpillRead[];
}

export interface SpillsContract {
  spills: {
    input: { readonly limit?: number; readonly beforeId?: string };
    output: { readonly spills: readonly SpillRow[] };
  };
  spillLines: { input: { readonly id: string; readonly fromLine: number; readonly count: number }; output: SpillLines };
  /** Lines that match, as `slice` numbers them; at most 1 000. */
  spillFind: {
    input: { readonly id: string; readonly pattern: string };
    output: { readonly matches: readonly { readonly line: number; readonly text: string }[]; readonly total: number };
  };
  spillQuery: {
    input: { readonly id: string; readonly query: string };
    output: { readonly text: string; readonly truncated: boolean };
  };
  /**
   * One SQL statement that reads; `tables`: further results by the names of their tables. As many rows as fit, all of
   * them counted.
   */
  spillSql: {
    input: {
      readonly id: string;
      readonly query: string;
      readonly tables?: Readonly<Record<string, string>> | undefined;
    };
    output: SqlRows;
  };
  spill: { input: { readonly id: string }; output: SpillRow };
  spillUse: { input: { readonly id: string }; output: SpillUse };
  pinSpill: { input: { readonly id: string; readonly pinned: boolean }; output: Nothing };
  /** Gone after ten seconds, or `now`; `restoreSpill` until then brings it back. */
  deleteSpill: { input: { readonly id: string; readonly now?: boolean }; output: Nothing };
  /** Deletes what is too old or too much, now. */
  pruneSpills: { input: Nothing; output: { readonly removed: number; readonly bytes: number } };
  restoreSpill: { input: { readonly id: string }; output: Nothing };
}
