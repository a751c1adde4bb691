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
  /** Increases with every change of the store. */
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
  /** Size of the server's full result, even if only part was spilled; undefined if not recorded. */
  readonly sentBytes: number | undefined;
  readonly sentTokens: number | undefined;
  readonly sentEstimated: boolean;
  /** Size of the file, which is split into lines and may contain only part of the result. */
  readonly bytes: number;
  readonly lines: number | undefined;
  readonly path: string;
  readonly pinned: boolean;
  readonly reads: number;
  /** undefined: never. */
  readonly expiresAt: number | undefined;
}

/** Lines of a spill, possibly fewer than requested; lines over 4,000 characters are truncated. */
export interface SpillLines {
  readonly fromLine: number;
  readonly lines: readonly string[];
  readonly totalLines: number;
  /** Numbers (1-based) of the truncated lines. */
  readonly cut: readonly number[];
}

/** The text returned to the model instead (empty if no longer kept), and the parts read since. */
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
  /** Matching lines, numbered as in `slice`; at most 1,000. */
  spillFind: { readonly matches: readonly { readonly line: number; readonly text: string }[]; readonly total: number };
  spillQuery: { readonly text: string; readonly truncated: boolean };
  /**
   * One read-only SQL statement; `tables`: additional results by table name. Returns as many rows as fit, and the
   * total count.
   */
  spillSql: SqlRows;
  spill: SpillRow;
  spillUse: SpillUse;
  pinSpill: Nothing;
  /** Deletes after ten seconds, or immediately with `now`; `restoreSpill` cancels it until then. */
  deleteSpill: Nothing;
  /** Applies the limits on age and size now. */
  pruneSpills: { readonly removed: number; readonly bytes: number };
  restoreSpill: Nothing;
}

export type SpillMethods = Methods<typeof spillInputs, SpillOutputs>;
