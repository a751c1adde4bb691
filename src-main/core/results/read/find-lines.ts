/** Op grep: the lines that match, all of them counted. */
import type { ResultAnswer } from '../result-files.ts';
import { eachLine, type FileLine } from './each-line.ts';
import { FoundLines } from './found-lines.ts';
import { findInLine, linePattern, overlap } from './line-pattern.ts';
import type { ReadTarget } from './reader-messages.ts';

export interface Wanted {
  readonly pattern: string;
  readonly context: number;
  readonly limit?: number | undefined;
}

/** `step` is called before each piece of text that the pattern is tried on. */
export function findLines(target: ReadTarget, wanted: Wanted, maxBytes: number, step: () => void): ResultAnswer {
  const { pattern, context, limit = Number.MAX_SAFE_INTEGER } = wanted;
  const regex = linePattern(pattern);
  const found = new FoundLines(context, limit, maxBytes);
  let matchCount = 0;
  let totalLines = 0;
  let lastMatch = 0;
  for (const line of joined(eachLine(target.fd, target.bytes))) {
    totalLines = line.number;
    const match = findInLine(regex, line.text, step);
    if (match === undefined) {
      found.pass(line);
      continue;
    }
    // Parts of one long line are one line that matches.
    if (line.number !== lastMatch) matchCount++;
    lastMatch = line.number;
    found.match(line, match);
  }
  const limited = !found.isFull && matchCount > limit;
  const fields = { pattern, matchCount, returnedMatches: found.returned, totalLines, ...(limited && { limited }) };
  const note = limited ? `[LIMITED to first ${limit} of ${matchCount} matches]` : undefined;
  const cut = `[TRUNCATED at ${maxBytes} bytes: ${found.returned} of ${matchCount} matches shown. A longer pattern finds fewer; op='slice' shows lines whole]`;
  const text = [found.text, found.isFull ? cut : note].filter((part) => part !== undefined && part !== '').join('\n');
  return { text: text === '' ? '(no matches)' : text, fields, truncated: found.isFull };
}

/** Parts of a long line begin with the end of the one before: what lies across the border is found. */
function* joined(lines: Iterable<FileLine>): Generator<FileLine, void, undefined> {
  let before: FileLine | undefined;
  for (const line of lines) {
    const end = before?.partFrom !== undefined && before.number === line.number ? before.text.slice(-overlap) : '';
    const { number, text, partFrom } = line;
    yield partFrom === undefined ? line : { number, text: end + text, partFrom: partFrom - Buffer.byteLength(end) };
    before = line;
  }
}
