/** What commands write to stdout: lines for people, or one JSON document for scripts. */
import { styleText } from 'node:util';
import { plainText } from './plain-text.ts';

/** Server text among the lines is the caller's to clean (plain-text.ts). */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** Pretty for people's eyes, plain for any parser; C1 controls are escaped too, which JSON would let through. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  process.stdout.write(`${text.replace(/[\x7f-\x9f\u2028\u2029]/g, escape)}\n`);
}

/** A hint of what goes on, for whoever waits at a terminal; scripts see nothing of it. */
export function printProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${plainText(text)}\n`);
}

export type Paint = 'good' | 'bad' | 'unsure' | 'quiet' | 'head';

const styles = { good: 'green', bad: 'red', unsure: 'yellow', quiet: 'dim', head: 'bold' } as const;

/** Colours a word on a terminal that wants colours (NO_COLOR counts); the word itself always says it all. */
export function paint(how: Paint, text: string): string {
  return styleText(styles[how], text, { stream: process.stdout });
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
