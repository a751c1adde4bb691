/** Op query: the values that a JSONPath selects, one per line, and their number. */
import type { SpillQueryResult } from '../spill-queries.ts';
import { type Document, findValues, type Location, formatPath } from './document.ts';
import { truncateToBytes } from './reader-messages.ts';

/** A path may match endlessly, so matches are counted only up to this number. */
const maxCounted = 1_000_000;

export function queryDocument(
  document: Document,
  query: string,
  limit: number | undefined,
  maxBytes: number,
): SpillQueryResult {
  const most = limit ?? Number.MAX_SAFE_INTEGER;
  const lines: string[] = [];
  let bytes = 0;
  let matchCount = 0;
  let note: string | undefined;
  for (const { location, value } of findValues(query, document.value)) {
    if (++matchCount > maxCounted) break;
    if (note !== undefined || lines.length >= most) continue;
    const line = document.spell(location, value);
    const length = Buffer.byteLength(line);
    bytes += length + 1;
    if (bytes <= maxBytes) lines.push(line);
    else note = tooMuch(lines, { location, line, bytes: length }, maxBytes);
  }
  const counted = Math.min(matchCount, maxCounted);
  const count = matchCount > maxCounted ? `more than ${maxCounted}` : matchCount;
  const limited = note === undefined && matchCount > lines.length;
  const all = `(${count} ${matchCount === 1 ? 'match' : 'matches'})`;
  const notes = [limited ? `[LIMITED to first ${lines.length} of ${count} matches]` : (note ?? all)];
  const fields = { query, matchCount: counted, returnedMatches: lines.length, ...(limited && { limited }) };
  const text = matchCount === 0 ? '(no matches)' : [...lines, ...notes].join('\n');
  return { text, fields, truncated: note !== undefined };
}

interface LongValue {
  readonly location: Location;
  readonly line: string;
  readonly bytes: number;
}

/** A single value that is too long is truncated; a list of values ends with the last complete one. */
function tooMuch(lines: string[], { location, line, bytes }: LongValue, maxBytes: number): string {
  const path = formatPath(location);
  if (lines.length > 0) return `[TRUNCATED at ${maxBytes} bytes; the next value is ${path}]`;
  lines.push(truncateToBytes(line, maxBytes));
  return `[TRUNCATED at ${maxBytes} bytes of ${bytes}: ${path} is long. op='schema' with path shows what is inside]`;
}
