/** The log of a server as the page holds it: bounded, filtered, and as a text to be saved. Pure. */
import type { ServerLogLine } from '../../../src-main/rpc/contract.ts';

export interface NumberedLine extends ServerLogLine {
  /** Counts on while the page is open. */
  readonly number: number;
}

export interface LogFilter {
  readonly text: string;
  /** Warnings and worse. */
  readonly problems: boolean;
}

/** What the page shows at once; the file has more. */
export const maxLines = 2_000;

const mild: ReadonlySet<ServerLogLine['level']> = new Set([undefined, 'debug', 'info', 'notice']);

export function isProblem({ level }: ServerLogLine): boolean {
  return !mild.has(level);
}

/** Returns the label of a log line: its source if it is Tooltray's, or its level if the server gave one. */
export function markOf({ from, level }: ServerLogLine): string {
  return from === 'tooltray' && (level === undefined || mild.has(level)) ? 'Tooltray' : (level ?? '');
}

/** The lines there are with those that came, the oldest gone where they are too many. */
export function append(lines: readonly NumberedLine[], come: readonly ServerLogLine[]): readonly NumberedLine[] {
  const first = (lines.at(-1)?.number ?? 0) + 1;
  return [...lines, ...come.map((line, index) => ({ ...line, number: first + index }))].slice(-maxLines);
}

/** Lines that hold every word. */
export function filterLines(lines: readonly NumberedLine[], { text, problems }: LogFilter): readonly NumberedLine[] {
  const words = text.toLowerCase().split(/\s+/);
  return lines.filter((line) => {
    const all = `${markOf(line)} ${line.text}`.toLowerCase();
    return (!problems || isProblem(line)) && words.every((word) => all.includes(word));
  });
}

/** As the lines are in the log file. */
export function logText(lines: readonly ServerLogLine[]): string {
  return lines
    .map(({ at, from, level, text }) => {
      const time = at === undefined ? '' : `${new Date(at).toISOString()} `;
      return `${time}${from}${level === undefined ? '' : ` [${level}]`}: ${text}\n`;
    })
    .join('');
}
