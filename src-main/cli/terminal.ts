/**
 * Terminal input and output of commands: lines and tables for users, or one JSON document for scripts; a prompt before
 * a change.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { stripVTControlCharacters, styleText } from 'node:util';

/** Prints a command's output: as JSON if requested, else in lines. */
export function printResult(json: boolean, data: unknown, lines: () => readonly string[]): void {
  if (json) printJson(data);
  else printLines(lines());
}

/** Server text among the lines is the caller's to clean: plainText, oneLine. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** Pretty for users, plain for any parser. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value, 2)}\n`);
}

/**
 * JSON in which C1 controls, and characters that are invisible or turn the direction of writing, are escaped: JSON
 * itself lets them through.
 */
export function jsonText(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replace(unseen, escape);
}

const unseen = /[\x7f-\x9f\u2028\u2029]|\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;

/** Prints progress for a user at a terminal; scripts do not receive it. */
export function printProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${plainText(text)}\n`);
}

export type Paint = 'good' | 'bad' | 'unsure' | 'quiet' | 'head';

const styles = { good: 'green', bad: 'red', unsure: 'yellow', quiet: 'dim', head: 'bold' } as const;

/** Colours a word on a terminal that wants colors (NO_COLOR counts); the word itself always says it all. */
export function paint(how: Paint, text: string): string {
  return styleText(styles[how], text, { stream: process.stdout });
}

function escape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Control characters but line feed and tab, and the marks that turn the direction of writing (CVE-2021-42574). */
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text from servers for a terminal, without anything that could steer it: shown, never obeyed. Lines stay lines. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(steering, '');
}

/** The text on one line. */
export function oneLine(text: string): string {
  return plainText(text.replace(/[\r\u2028\u2029]/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

const gap = '  ';
/** A last column narrower than this would say nothing. */
const minColumnWidth = 12;
/** No column is cut below this, however narrow the terminal is. */
const leastWidth = 4;

/** Columns under a head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return columns([head.map((word) => paint('head', word)), ...rows]);
}

/**
 * Aligned columns, cut to the width of the terminal; whole when they go into a file or a pipe. Cells may hold colors.
 */
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

/** Widths that fit together: the last column gives way first, then whichever is widest. */
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

/** Columns of the terminal, or Infinity where stdout is none. */
function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** The text, ended by … where it is longer than `room`. */
function truncate(text: string, maxWidth: number): string {
  if (shownLength(text) <= maxWidth) return text;
  // Colours of a cell that is cut are lost, not left open.
  const characters = [...stripVTControlCharacters(text)];
  return `${characters.slice(0, maxWidth - 1).join('')}…`;
}

function shownLength(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

/** Asks for confirmation; true if `given` confirms already. Undefined without a terminal. */
export async function confirm(question: string, given: boolean): Promise<boolean | undefined> {
  if (given) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  // The question goes to stderr, because programs read stdout.
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

/** In the time of this machine, as it sorts. */
export function formatTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}
