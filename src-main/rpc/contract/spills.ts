/** Requests about spilled results: list, read, query, delete. */
import { z } from 'zod';
import type { SpillRead, SqlRows } from '../../core/spills/spill-queries.ts';
import { count, flag, id, maybe, nothing, text, type Methods, type Nothing } from './fields.ts';

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
  /** The whole answer as the server sent it, also of a part of it; undefined if it is not on record. */
  readonly sentBytes: number | undefined;
  readonly sentTokens: number | undefined;
  readonly sentEstimated: boolean;
  /** Size of the file, which is laid out in lines and may hold a part of the result. */
  readonly bytes: number;
  readonly lines: number | undefined;
  readonly path: string;
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
  readonly returned: string;
  readonly reads: readonly SpillRead[];
}

/** Schemas of the inputs. */
export const spillInputs = {
  spills: z.object({ limit: maybe(count.max(1000)), beforeId: maybe(id) }),
  spillLines: z.object({ id, fromLine: count.min(1), count: count.min(1).max(2000) }),
  spillFind: z.object({ id, pattern: text.min(1) }),
  spillQuery: z.object({ id, query: text.min(1) }),
  spillSql: z.object({
    id,
    query: text.min(1),
    tables: z.record(z.string().regex(/^(?!rows$)[A-Za-z_]\w{0,59}$/i), id).optional(),
  }),
  spill: z.object({ id }),
  spillUse: z.object({ id }),
  pinSpill: z.object({ id, pinned: flag }),
  deleteSpill: z.object({ id, now: maybe(flag) }),
  pruneSpills: nothing,
  restoreSpill: z.object({ id }),
};

interface SpillOutputs {
  spills: { readonly spills: readonly SpillRow[] };
  spillLines: SpillLines;
  /** Lines that match, as `slice` numbers them; at most 1 000. */
  spillFind: { readonly matches: readonly { readonly line: number; readonly text: string }[]; readonly total: number };
  spillQuery: { readonly text: string; readonly truncated: boolean };
  /**
   * One SQL statement that reads; `tables`: further results by the names of their tables. As many rows as fit, all of
   * them counted.
   */
  spillSql: SqlRows;
  spill: SpillRow;
  spillUse: SpillUse;
  pinSpill: Nothing;
  /** Gone after ten seconds, or `now`; `restoreSpill` until then brings it back. */
  deleteSpill: Nothing;
  /** Deletes what is too old or too much, now. */
  pruneSpills: { readonly removed: number; readonly bytes: number };
  restoreSpill: Nothing;
}

export type SpillMethods = Methods<typeof spillInputs, SpillOutputs>;
