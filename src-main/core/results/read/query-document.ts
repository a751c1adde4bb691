/** Op query: what a JSONPath selects, one value a line. */
import type { ResultAnswer } from '../result-files.ts';
import type { Document } from './document.ts';
import { cutText } from './file-window.ts';
import { findValues, pathText, type SpelledValue } from './find-values.ts';

/** A path may select without end: after so many values nobody needs to know how many more there are. */
const mostCounted = 1_000_000;

export function queryDocument(
  document: Document,
  query: string,
  limit: number | undefined,
  maxBytes: number,
): ResultAnswer {
  return tellValues(spelledValues(document, query), query, limit, maxBytes);
}

/** Throws AppError bad_request. */
export function* spelledValues(document: Document, query: string): Generator<SpelledValue, void, undefined> {
  for (const { location, value } of findValues(query, document.value)) {
    const line = document.spell(location, value);
    yield { location, line, bytes: Buffer.byteLength(line) };
  }
}

/** One value a line, as far as they go. */
export function tellValues(
  values: Iterable<SpelledValue>,
  query: string,
  limit: number | undefined,
  maxBytes: number,
): ResultAnswer {
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  const lines: string[] = [];
  let bytes = 0;
  let matchCount = 0;
  let note: string | undefined;
  for (const found of values) {
    if (++matchCount > mostCounted) break;
    if (note !== undefined || lines.length >= most) continue;
    bytes += found.bytes + 1;
    if (bytes <= maxBytes) lines.push(found.line);
    else note = tooMuch(lines, found, maxBytes);
  }
  const counted = Math.min(matchCount, mostCounted);
  const count = matchCount > mostCounted ? `more than ${mostCounted}` : matchCount;
  const limited = note === undefined && matchCount > lines.length;
  const notes = limited ? [`[LIMITED to first ${lines.length} of ${count} matches]`] : note === undefined ? [] : [note];
  const fields = { query, matchCount: counted, returnedMatches: lines.length, ...(limited && { limited }) };
  const text = matchCount === 0 ? '(no matches)' : [...lines, ...notes].join('\n');
  return { text, fields, truncated: note !== undefined };
}

/** One value alone that is too long is begun; a list of values ends with the last that is whole. */
function tooMuch(lines: string[], { location, line, bytes }: SpelledValue, maxBytes: number): string {
  const path = pathText(location);
  if (lines.length > 0) return `[TRUNCATED at ${maxBytes} bytes; the next value is ${path}]`;
  lines.push(cutText(line, maxBytes));
  return `[TRUNCATED at ${maxBytes} bytes of ${bytes}: ${path} is long. op='schema' with path shows what is inside]`;
}
