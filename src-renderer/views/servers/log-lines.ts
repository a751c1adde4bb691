/** A server's log in the page: limited, with collapsed stack traces, filtered, and exported as text. Pure. */
import type { ServerLogLine } from '../../../src-main/rpc/contract.ts';
import { levelOf, type LogLevel } from '../result/log/log-facts.ts';

export interface NumberedLine extends ServerLogLine {
  /** Sequence number while the page is open. */
  readonly number: number;
}

/** A line, and the lines of its stack trace. */
export interface LogEntry {
  readonly line: NumberedLine;
  readonly stack: readonly NumberedLine[];
  readonly level: LogLevel;
}

export interface LogFilter {
  readonly text: string;
  /** Levels to show; an empty set shows all. */
  readonly levels: ReadonlySet<LogLevel>;
}

/** Maximum number of lines in the page; the file has more. */
export const maxLines = 2_000;

const mild: ReadonlySet<ServerLogLine['level']> = new Set([undefined, 'debug', 'info', 'notice']);
/** Frames and causes as Node.js, Python, and Java print them, and source lines between them. */
const continuation = /^(?:[\t ]+\S|Caused by:|During handling of the above)/;
const errorHead = /^(?:Uncaught |Traceback |[\w.]*(?:Error|Exception)\b)/;

/** Returns the level that the source named, else the one that its text names; lines that name none are `info`. */
export function levelOfLine({ level, text }: Pick<ServerLogLine, 'level' | 'text'>): LogLevel {
  if (level === 'warning') return 'warn';
  if (level === 'debug') return 'debug';
  if (level !== undefined) return mild.has(level) ? 'info' : 'error';
  return errorHead.test(text) ? 'error' : (levelOf(text) ?? 'info');
}

/** Groups indented lines of a server with the line above them. */
export function foldStacks(lines: readonly NumberedLine[]): readonly LogEntry[] {
  const entries: { line: NumberedLine; stack: NumberedLine[]; level: LogLevel }[] = [];
  for (const line of lines) {
    const above = entries.at(-1);
    if (above?.line.from === 'server' && line.from === 'server' && continuation.test(line.text)) above.stack.push(line);
    else entries.push({ line, stack: [], level: levelOfLine(line) });
  }
  return entries;
}

/** Returns the number of entries at each level. */
export function countLevels(entries: readonly LogEntry[]): Readonly<Record<LogLevel, number>> {
  const counts = { error: 0, warn: 0, info: 0, debug: 0 };
  for (const { level } of entries) counts[level] += 1;
  return counts;
}

/** Returns the label of a log line: its source if it is Tooltray's, or its level if the server gave one. */
export function markOf({ from, level }: ServerLogLine): string {
  return from === 'tooltray' && (level === undefined || mild.has(level)) ? 'Tooltray' : (level ?? '');
}

/** Appends new lines, and drops the oldest beyond the limit. */
export function append(lines: readonly NumberedLine[], come: readonly ServerLogLine[]): readonly NumberedLine[] {
  const first = (lines.at(-1)?.number ?? 0) + 1;
  return [...lines, ...come.map((line, index) => ({ ...line, number: first + index }))].slice(-maxLines);
}

/** Returns the entries of the levels whose lines contain every word. */
export function filterEntries(entries: readonly LogEntry[], { text, levels }: LogFilter): readonly LogEntry[] {
  const words = text.toLowerCase().split(/\s+/);
  return entries.filter(({ line, stack, level }) => {
    const all = [markOf(line), line.text, ...stack.map((one) => one.text)].join('\n').toLowerCase();
    return (levels.size === 0 || levels.has(level)) && words.every((word) => all.includes(word));
  });
}

/** Returns the entries as text, in the format of the log file. */
export function logText(entries: readonly Pick<LogEntry, 'line' | 'stack'>[]): string {
  return entries
    .flatMap(({ line, stack }) => [line, ...stack])
    .map(({ at, from, level, text }) => {
      const time = at === undefined ? '' : `${new Date(at).toISOString()} `;
      return `${time}${from}${level === undefined ? '' : ` [${level}]`}: ${text}\n`;
    })
    .join('');
}
