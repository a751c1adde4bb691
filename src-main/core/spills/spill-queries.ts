/** Queries over spills, as the helper tools send them. */
import { type JsonObject, toPlainNumber } from '../base/json.ts';

/** Queries on a spill; lines and rows are counted from 1, bytes from 0. */
export type SpillQuery =
  | { readonly op: 'stat' }
  | { readonly op: 'head' | 'tail'; readonly lines: number }
  /** Both ends are inclusive; without `toLine` up to the last line. */
  | { readonly op: 'slice'; readonly fromLine: number; readonly toLine: number | undefined }
  /** All matches are counted; `limit`: maximum number shown. */
  | {
      readonly op: 'grep';
      readonly pattern: string;
      readonly context: number;
      readonly limit?: number | undefined;
      /** Whether matches in JSON data return the surrounding list element, in one line. */
      readonly elements?: boolean;
    }
  /** `maxBytes` 0: everything, up to 8 MB; undefined: the default limit. */
  | { readonly op: 'read'; readonly maxBytes: number | undefined; readonly fromByte?: number | undefined }
  /** `query` is a JSONPath (RFC 9535). */
  | { readonly op: 'query'; readonly query: string; readonly limit?: number | undefined }
  /**
   * `query`: one reading SQL statement; the main table is `rows`, others are named after their paths. `path`:
   * JSONPath to the list of the main table, by default the longest. `tables`: further results to join, by the name of
   * their main table.
   */
  | SqlQuestion
  /** Describes the content, or the first value at `path`. */
  | { readonly op: 'schema'; readonly path?: string | undefined }
  /** Rows of the array at `path`, by default the longest near the root. Without `columns` its scalar members. */
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

/** References of the further results of a query. */
export function joinedBy(question: SpillQuery): readonly string[] {
  return question.op === 'sql' ? Object.values(question.tables ?? {}) : [];
}

/** Integers beyond a double are texts. */
export type SqlCell = string | number | null;

/** Rows of a statement, as many as fit, and the count of all. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly rowCount: number;
  /** False if there are more rows than `rowCount`. */
  readonly isCounted: boolean;
}

export interface SpillQueryResult {
  readonly text: string;
  /** Additional fields of the op: `byteSize`, `totalLines`, `matchCount` … */
  readonly fields: JsonObject;
  /** Whether the text was truncated. */
  readonly truncated: boolean;
}

/** Queries from the dashboard, which receives rows instead of text for a model. */
export type SpillViewQuery =
  /** Both ends are inclusive. */
  | { readonly op: 'lines'; readonly fromLine: number; readonly toLine: number }
  /** All matches are counted; `limit`: maximum number shown. */
  | { readonly op: 'find'; readonly pattern: string; readonly limit: number }
  /** Same as op sql. */
  | SelectQuestion;

export type SelectQuestion = Omit<SqlQuestion, 'op'> & { readonly op: 'select' };

export interface SpillLine {
  /** Starts at 1. */
  readonly number: number;
  readonly text: string;
}

/** Consecutive lines: fewer than requested if they would be too long, but at least one if there is one. */
export interface LinePage {
  readonly lines: readonly (SpillLine & { readonly isCut: boolean })[];
  readonly totalLines: number;
}

export interface FoundLines {
  /** A long line is shown around its first match. */
  readonly lines: readonly SpillLine[];
  /** Number of matching lines, shown or not. */
  readonly matchCount: number;
}

/** Input of SQL: a spilled result by its reference, or a text with its kind. */
export type SqlInput = { readonly ref: string } | { readonly text: string; readonly kind: 'json' | 'text' };

/** Content in the form of an MCP resource. */
export type SpillContent =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string };

/**
 * `ref`: a short id, `tooltray://spill/<id>` or a path. All methods reject with AppError `not_found`, bad_request (no
 * file), not_allowed (outside of permitted folders), unsupported (too large for the op, or the wrong kind).
 */
export interface SpillFiles {
  /** `maxBytes`: maximum size of the returned lines, in bytes (UTF-8); default: 16,000. */
  query(ref: string, question: SpillQuery, signal: AbortSignal, maxBytes?: number): Promise<SpillQueryResult>;
  /**
   * Rows as data, for a program: of a spilled result, or of a text that the program has. Rejects with AppError
   * `not_allowed` for a statement that does not only read.
   */
  select(source: SqlInput, query: string, signal: AbortSignal): Promise<SqlRows>;
  /** The whole spill as text, up to 64 MB. */
  readText(ref: string): Promise<string>;
  /** The whole spill, of any kind, up to 64 MB. */
  content(ref: string): Promise<SpillContent>;
}

// Records what models have read of spills, and which lines: the dashboard lists it and shades the text. In memory,
// bounded.

export interface SpillRead {
  readonly op: SpillQuery['op'];
  /** The pattern, path or statement; empty if the lines suffice. */
  readonly what: string;
  /** Size of the text returned to the model, in bytes (UTF-8). */
  readonly bytes: number;
  /** Starting at 1, both ends inclusive; empty if no consecutive lines were read. */
  readonly lines: readonly { readonly fromLine: number; readonly toLine: number }[];
  /** ms since 1970. */
  readonly at: number;
}

const maxSpills = 500;
const maxReads = 200;
const maxWhat = 2_000;

export class SpillReads {
  /** Most recently read last. */
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
      // Each line of the result begins with its number, or with those of its element.
      return Array.from(text.matchAll(/^(\d+)(?:-(\d+))?[:-]/gm), ([, from, to]) => ({
        fromLine: Number(from),
        toLine: Number(to ?? from),
      }));
    default:
      return [];
  }
}
