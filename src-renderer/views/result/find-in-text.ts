/** Finding in a text: what is asked for, and which letters of a line are it. Pure. */
import { whole } from '../../lib/format.ts';

/** What is shown of a search. */
export interface Found {
  /** Lines that match, from 1. */
  readonly lines: ReadonlySet<number>;
  /** The first of them, with their beginnings, and how many there are. */
  readonly matches: readonly { readonly line: number; readonly text: string }[];
  readonly total: number;
  readonly current: number | undefined;
  /** The letters to mark; empty if a pattern was asked for. */
  readonly text: string;
}

export const nothingFound: Found = { lines: new Set(), matches: [], total: 0, current: undefined, text: '' };

/** The letters as they stand, for a search that knows patterns. */
export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** A line around its first match; the middle is empty if there is none. Upper and lower case are alike. */
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
