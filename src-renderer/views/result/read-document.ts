/** An answer as data: whole where it is small enough for a page, else the part that a JSONPath selects. */
import type { AnswerSource } from './result-source.ts';
import type { ContentKind } from './content-kind.ts';
import { parseDelimited, parseLines } from './rows/parse-rows.ts';
import { parseSpelled } from './spelled-json.ts';

export interface AnswerDocument {
  readonly value: unknown;
  /** The JSONPath that selected it; undefined: it is all. */
  readonly path: string | undefined;
  /** More was selected than is there. */
  readonly isCut: boolean;
}

/** Larger ones would hold up the page while they are read. */
const maxWholeLength = 24_000_000;

export function isReadWhole({ bytes }: AnswerSource, kind: ContentKind): boolean {
  return ['json', 'ndjson', 'csv', 'tsv'].includes(kind) && bytes <= maxWholeLength;
}

/** Rejects with AskError, or SyntaxError for what is no JSON. */
export async function readWholeDocument(
  source: AnswerSource,
  kind: ContentKind,
  signal: AbortSignal,
): Promise<AnswerDocument> {
  const text = await (await source.whole(signal)).text();
  return { value: valueOf(text, kind), path: undefined, isCut: false };
}

function valueOf(text: string, kind: ContentKind): unknown {
  if (kind === 'csv') return parseDelimited(text, ',');
  if (kind === 'tsv') return parseDelimited(text, '\t');
  return kind === 'ndjson' ? parseLines(text) : parseSpelled(text);
}

/** Rejects with AskError. */
export async function readPart(source: AnswerSource, path: string, signal: AbortSignal): Promise<AnswerDocument> {
  const { text, truncated } = await source.query(path, signal);
  return { ...partOf(text, truncated), path };
}

/** What a query answers, one value a line; one alone stands for itself. What was cut in the middle is left out. */
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
