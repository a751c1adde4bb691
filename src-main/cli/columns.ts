/** A table for a terminal: aligned columns, cut to its width; whole when it goes into a file or a pipe. */
import { stripVTControlCharacters } from 'node:util';

const gap = '  ';
/** A last column narrower than this would say nothing. */
const narrowest = 12;

/** `width` in characters; Infinity cuts nothing. Cells may hold colours. */
export function columns(rows: readonly (readonly string[])[], width: number = terminalWidth()): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => shownLength(row[at] ?? ''))));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + gap.length, 0);
  const room = Math.max(narrowest, width - before);
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at === count - 1 ? cut(cell, room) : cell + ' '.repeat((widths[at] ?? 0) - shownLength(cell)),
      )
      .join(gap)
      .trimEnd(),
  );
}

/** Columns of the terminal, or Infinity where stdout is none. */
function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** The text, ended by … where it is longer than `room`. */
function cut(text: string, room: number): string {
  const characters = [...text];
  return characters.length <= room || text.includes('\x1b') ? text : `${characters.slice(0, room - 1).join('')}…`;
}

function shownLength(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
