/** Queries over spills, as the helper tools send them. */
import { type JsonObject, toPlainNumber } from '../base/json.ts';

/** Queries on a spill; lines and rows are counted from 1, bytes from 0. */
export type SpillQuery =
  | { readonly op: 'stat' }
  | { readonly op: 'head' | 'tail'; readonly lines: number }
  /** Both ends included; without `toLine` up to the last line. */
  | { readonly op: 'slice'; readonly fromLine: number; readonly toLine: number | undefined }
  /** All matches are counted; `limit`: how many of them are shown. */
  | {
      readonly op: 'grep';
      readonly pattern: string;
      readonly context: number;
      readonly limit?: number | undefined;
      /** Whether matches in JSON data return the surrounding list element, in one line. */
      readonly elements?: boolean;
    }
  /** `maxBytes` 0: all of it, up to 8 MB; undefined: as much as the usual cap lets through. */
  | { readonly op: 'read'; readonly maxBytes: number | undefined; readonly fromByte?: number | undefined }
  /** `query` is a JSONPath (RFC 9535). */
  | { readonly op: 'query'; readonly query: string; readonly limit?: number | undefined }
  /**
   * `query` is one SQL statement that reads: the main table is `rows`, others have the names of their paths. `path`:
   * JSONPath to the list that is the main table, else the longest. `tables`: further results to join, by the name of
   * their main table.
   */
  | SqlQuestion
  /** Describes the content, or the first value at `path`. */
  | { readonly op: 'schema'; readonly path?: string | undefined }
  /** Rows of the array at `path`; without one, of the longest near the top. Without `columns` its own scalars. */
  | {
      readonly op: 'table';
      readonly path?: string | undefined;
      readonly columns?: readonly string[] | undefined;
      readonly fromRow: number;
      readonly rows: number;
    };

export interface SqlQuestion {
  readonly op: 'sql';
  readonly query: string;
  readonly path?: string | undefined;
  readonly tables?: Readonly<Record<string, string>> | undefined;
  readonly limit?: number | undefined;
}

/** References of the further results that a question reads. */
export function joinedBy(question: SpillQuery): readonly string[] {
  return question.op === 'sql' ? Object.values(question.tables ?? {}) : [];
}

/** Integers that a double does not hold are texts. */
export type SqlCell = string | number | null;

/** Result of a statement: as many rows as fit, and the count of all. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly rowCount: number;
  /** False where there are more rows than `rowCount`. */
  readonly isCounted: boolean;
}

export interface SpillQueryResult {
  readonly text: string;
  /** Fields that the op reports besides its text: `byteSize`, `totalLines`, `matchCount` … */
  readonly fields: JsonObject;
  /** The text was cut at the cap. */
  readonly truncated: boolean;
}

/** Queries from the dashboard, which receives rows instead of text for a model. */
export type SpillViewQuery =
  /** Both ends are inclusive. */
  | { readonly op: 'lines'; readonly fromLine: number; readonly toLine: number }
  /** All matches are counted; `limit`: how many of them are shown. */
  | { readonly op: 'find'; readonly pattern: string; readonly limit: number }
  /** Same as op sql. */
  | SelectQuestion;

export type SelectQuestion = Omit<SqlQuestion, 'op'> & { readonly op: 'select' };

export interface SpillLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Lines in a row: fewer than asked for where they would be too long together, but at least one where there is one. */
export interface LinePage {
  readonly lines: readonly (SpillLine & { readonly isCut: boolean })[];
  readonly totalLines: number;
}

export interface FoundLines {
  /** A long line is shown as what surrounds its first match. */
  readonly lines: readonly SpillLine[];
  /** Lines that match, shown or not. */
  readonly matchCount: number;
}

/** Input of SQL: a spilled result by its reference, or a text with its kind. */
export type SqlInput = { readonly ref: string } | { readonly text: string; readonly kind: 'json' | 'text' };

/** Content in the form of an MCP resource. */
export type SpillContent =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string };

/**
 * `ref` is a short id, `tooltray://spill/<id>` or a path; all of them reject with AppError `not_found`, bad_request (no
 * file), not_allowed (not one of Tooltray), unsupported (too big for what is asked, or not the kind for it).
 */
export interface SpillFiles {
  /** `maxBytes`: longest stretch of lines that is given, in bytes (UTF-8); 16 000 by default. */
  query(ref: string, question: SpillQuery, signal: AbortSignal, maxBytes?: number): Promise<SpillQueryResult>;
  /**
   * Rows as data, for a program: of a spilled result, or of a text that the program has. Rejects with AppError
   * `not_allowed` for a statement that does more than read.
   */
  select(source: SqlInput, query: string, signal: AbortSignal): Promise<SqlRows>;
  /** The whole of a kept file as text, up to 64 MB. */
  readText(ref: string): Promise<string>;
  /** The whole of a kept file, whatever it holds, up to 64 MB. */
  content(ref: string): Promise<SpillContent>;
}

// What models have read back of spills, and which lines that was: the dashboard lists it and shades the text. In
// memory, bounded.

export interface SpillRead {
  readonly op: SpillQuery['op'];
  /** The pattern, path or statement; empty if the lines say it all. */
  readonly what: string;
  /** Size of the text returned to the model, in bytes (UTF-8). */
  readonly bytes: number;
  /** From 1, both ends included; empty for what reads no lines in a row. */
  readonly lines: readonly { readonly fromLine: number; readonly toLine: number }[];
  /** ms since 1970. */
  readonly at: number;
}

const maxSpills = 500;
const maxReads = 200;
const maxWhat = 2_000;

export class SpillReads {
  /** The spill that was read last stands last. */
  readonly #reads = new Map<string, readonly SpillRead[]>();

  of(id: string): readonly SpillRead[] {
    return this.#reads.get(id) ?? [];
  }

  note(id: string, question: SpillQuery, answer: SpillQueryResult, at: number): void {
    const bytes = Buffer.byteLength(answer.text);
    const read = { op: question.op, what: whatOf(question), bytes, lines: linesOf(question, answer), at };
    const reads = [...this.of(id), read].slice(-maxReads);
    this.#reads.delete(id);
    this.#reads.set(id, reads);
    const oldest = this.#reads.keys().next();
    if (this.#reads.size > maxSpills && oldest.done !== true) this.#reads.delete(oldest.value);
  }
}

function whatOf(question: SpillQuery): string {
  if (question.op === 'grep') return question.pattern.slice(0, maxWhat);
  if (question.op === 'query' || question.op === 'sql') return question.query.slice(0, maxWhat);
  return question.op === 'schema' || question.op === 'table' ? (question.path ?? '').slice(0, maxWhat) : '';
}

function linesOf(question: SpillQuery, { fields, text }: SpillQueryResult): SpillRead['lines'] {
  const total = Number(toPlainNumber(fields['totalLines'] ?? 0));
  switch (question.op) {
    case 'head':
      return [{ fromLine: 1, toLine: Math.min(question.lines, total) }];
    case 'tail':
      return [{ fromLine: Math.max(1, total - question.lines + 1), toLine: total }];
    case 'slice':
      return [{ fromLine: Number(fields['fromLine'] ?? question.fromLine), toLine: Number(fields['toLine'] ?? total) }];
    case 'grep':
      // Each line of the answer begins with its number, or with those of the element that it is in.
      return Array.from(text.matchAll(/^(\d+)(?:-(\d+))?[:-]/gm), ([, from, to]) => ({
        fromLine: Number(from),
        toLine: Number(to ?? from),
      }));
    default:
      return [];
  }
}
