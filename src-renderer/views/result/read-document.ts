/** A result as data: complete if it is small enough for the page, else the part selected by a JSONPath. */
import type { AnswerSource } from './result-source.ts';
import type { ContentKind } from './content-kind.ts';
import { parseDelimited, parseLines } from './rows/parse-rows.ts';
import { parseSpelled } from './spelled-json.ts';

export interface AnswerDocument {
  readonly value: unknown;
  /** The JSONPath that selected it; undefined: complete. */
  readonly path: string | undefined;
  /** The selection was truncated. */
  readonly isCut: boolean;
  /** 1-based line of the first row, if each row is one line; for CSV, TSV, and NDJSON. */
  readonly firstRowLine?: number | undefined;
}

/** Parsing larger ones would block the page. */
const maxWholeLength = 24_000_000;

export function isReadWhole({ bytes }: AnswerSource, kind: ContentKind): boolean {
  return mayHaveRows(kind) && bytes <= maxWholeLength;
}

/** Formats that are parsed to rows; JSON if it contains any. */
export function mayHaveRows(kind: ContentKind): boolean {
  return ['json', 'ndjson', 'csv', 'tsv'].includes(kind);
}

/** Rejects with ApiError, or SyntaxError for invalid JSON. */
export async function readWholeDocument(
  source: AnswerSource,
  kind: ContentKind,
  signal: AbortSignal,
): Promise<AnswerDocument> {
  const text = await (await source.whole(signal)).text();
  const value = valueOf(text, kind);
  return { value, path: undefined, isCut: false, firstRowLine: firstRowLine(text, value, kind) };
}

/** undefined if empty lines, or cells of several lines, are between the rows. */
function firstRowLine(text: string, value: unknown, kind: ContentKind): number | undefined {
  if (kind === 'json' || !Array.isArray(value)) return undefined;
  const first = kind === 'ndjson' ? 1 : 2;
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines === value.length + first - 1 ? first : undefined;
}

function valueOf(text: string, kind: ContentKind): unknown {
  if (kind === 'csv') return parseDelimited(text, ',');
  if (kind === 'tsv') return parseDelimited(text, '\t');
  return kind === 'ndjson' ? parseLines(text) : parseSpelled(text);
}

/** Rejects with ApiError. */
export async function readPart(source: AnswerSource, path: string, signal: AbortSignal): Promise<AnswerDocument> {
  const { text, truncated } = await source.query(path, signal);
  return { ...partOf(text, truncated), path };
}

/** The result of a query, one value per line; a single one is returned by itself. A truncated last value is omitted. */
export function partOf(text: string, isCut: boolean): Pick<AnswerDocument, 'value' | 'isCut'> {
  const values = text.split('\n').flatMap((line) => {
    try {
      return [parseSpelled(line)];
    } catch {
      return [];
    }
  });
  return { value: values.length === 1 && !isCut ? values[0] : values, isCut };
}
