/** What op grep looks for in a line: a regular expression, or the letters themselves where it is none. Upper and lower case are alike. */

export interface Match {
  readonly at: number;
  readonly length: number;
}

/** Longer lines are searched piece by piece: what a pattern costs may grow with the square of the length. */
const pieceLength = 64 * 1024;
/** Pieces overlap, so that what lies across a border is found. */
export const overlap = 1024;

export function linePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch {
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'i');
  }
}

/** `step` is called before each piece. */
export function findInLine(pattern: RegExp, text: string, step: () => void): Match | undefined {
  // The carriage return of a file of Windows belongs to no line.
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  for (let from = 0; ; from += pieceLength - overlap) {
    step();
    const piece = line.length <= pieceLength ? line : line.slice(from, from + pieceLength);
    const found = pattern.exec(piece);
    if (found !== null) return { at: from + found.index, length: found[0].length };
    if (from + pieceLength >= line.length) return undefined;
  }
}
