/**
 * Terminal input and output of commands: lines and tables for users or one JSON document for scripts, and confirmation
 * prompts.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { stripVTControlCharacters, styleText } from 'node:util';

/** Prints a command's output: as JSON if requested, otherwise as lines. */
export function printResult(json: boolean, data: unknown, lines: () => readonly string[]): void {
  if (json) printJson(data);
  else printLines(lines());
}

/** The caller must sanitize server text in the lines with `plainText` or `oneLine`. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** Indented JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value, 2)}\n`);
}

/** JSON with escaped C1 controls, invisible characters, and bidirectional controls, which JSON itself permits. */
export function jsonText(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replace(unseen, escape);
}

const unseen = /[\x7f-\x9f\u2028\u2029]|\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;

/** Prints progress to a terminal; scripts do not receive it. */
export function printProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${plainText(text)}\n`);
}

export type Paint = 'good' | 'bad' | 'unsure' | 'quiet' | 'head';

const styles = { good: 'green', bad: 'red', unsure: 'yellow', quiet: 'dim', head: 'bold' } as const;

/** Colors a word if the terminal supports it and NO_COLOR is not set; the text never depends on the color. */
export function paint(how: Paint, text: string): string {
  return styleText(styles[how], text, { stream: process.stdout });
}

function escape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Control characters except line feed and tab, and bidirectional controls (CVE-2021-42574). */
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Server text for a terminal, without control sequences. Line breaks are kept. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(steering, '');
}

/** The text on a single line. */
export function oneLine(text: string): string {
  return plainText(text.replace(/[\r\u2028\u2029]/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

const gap = '  ';
/** Minimum width of a useful last column. */
const minColumnWidth = 12;
/** Minimum width of every column. */
const leastWidth = 4;

/** Columns with a header. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return columns([head.map((word) => paint('head', word)), ...rows]);
}

/** Aligned columns, truncated to the terminal's width, or untruncated in a file or pipe. Cells may contain colors. */
export function columns(rows: readonly (readonly string[])[], width: number = terminalWidth()): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => shownLength(row[at] ?? ''))));
  const rooms = fitted(widths, width);
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const shown = truncate(cell, rooms[at] ?? 0);
        return at === count - 1 ? shown : shown + ' '.repeat(Math.max(0, (rooms[at] ?? 0) - shownLength(shown)));
      })
      .join(gap)
      .trimEnd(),
  );
}

/** Distributes the width: the last column shrinks first, then the widest. */
function fitted(widths: readonly number[], width: number): number[] {
  const rooms = [...widths];
  const excess = (): number => rooms.reduce((sum, each) => sum + each + gap.length, -gap.length) - width;
  const last = rooms.length - 1;
  if (excess() > 0) rooms[last] = Math.max(Math.min(minColumnWidth, rooms[last] ?? 0), (rooms[last] ?? 0) - excess());
  while (excess() > 0 && Math.max(...rooms) > leastWidth) {
    const widest = rooms.indexOf(Math.max(...rooms));
    rooms[widest] = (rooms[widest] ?? 0) - 1;
  }
  return rooms;
}

/** Columns of the terminal, or Infinity if stdout is not a terminal. */
function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** The text, ending in … if truncated to `room`. */
function truncate(text: string, maxWidth: number): string {
  if (shownLength(text) <= maxWidth) return text;
  // Truncation removes the cell's colors, so that none stays open.
  const characters = [...stripVTControlCharacters(text)];
  return `${characters.slice(0, maxWidth - 1).join('')}…`;
}

function shownLength(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

/** Asks for confirmation; true if `given`. Undefined without a terminal. */
export async function confirm(question: string, given: boolean): Promise<boolean | undefined> {
  if (given) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  // The question is written to stderr, because programs read stdout.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(es)?\s*$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

/** Reads hidden input from a terminal; otherwise all of stdin, without the final line feed. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, '');
  process.stderr.write(`${question} `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

/** Returns the message that nothing was changed; adds the flag to use unless the user declined. */
export function notAppliedMessage(answer: boolean | undefined): string {
  return answer === false ? 'Cancelled.' : 'Not changed. Pass --yes to confirm without a terminal.';
}

/** Local time, in a sortable format. */
export function formatTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}
