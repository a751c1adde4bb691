/** Text search: the pattern, and the matching part of a line. Pure. */
import { whole } from '../../lib/format.ts';

/** Results of a search. */
export interface Found {
  /** Matching lines, 1-based. */
  readonly lines: ReadonlySet<number>;
  /** The first matches with their beginnings, and the total. */
  readonly matches: readonly { readonly line: number; readonly text: string }[];
  readonly total: number;
  readonly current: number | undefined;
  /** The text to highlight; empty for a regular expression. */
  readonly text: string;
}

export const nothingFound: Found = { lines: new Set(), matches: [], total: 0, current: undefined, text: '' };

/** Escapes a text for a regular expression search. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Splits a line at its first match; the middle is empty if there is none. Case-insensitive. */
export function splitAtMatch(line: string, text: string): readonly [before: string, match: string, after: string] {
  const at = text === '' ? -1 : line.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return [line, '', ''];
  return [line.slice(0, at), line.slice(at, at + text.length), line.slice(at + text.length)];
}

/** `2 of 14`, `2 of the first 1,000 of 20,400`, `nothing found`. */
export function matchesInWords(current: number, shown: number, total: number): string {
  if (total === 0) return 'no matches';
  return `${whole(current + 1)} of ${shown < total ? `the first ${whole(shown)} of ` : ''}${whole(total)}`;
}
