/**
 * How a server's log stands in its file: `2026-11-23T10:24:00.123Z server [warning]: text`, a line each, so that whoever reads the file
 * by itself understands it. A line that is not so (of an older version, or about lines that were lost) is the server's, without a time.
 */

/** The levels of MCP (RFC 5424), mildest first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogLine {
  /** ms since 1970; undefined: not known. */
  readonly at: number | undefined;
  /** `tooltray`: what became of it, in our words. */
  readonly from: 'server' | 'tooltray';
  /** undefined: nobody told one. */
  readonly level: LogLevel | undefined;
  readonly text: string;
}

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (server|tooltray)(?: \[([a-z]+)\])?: (.*)$/;

/** Formats a line for the file, with its line feed. */
export function formatLogLine({ at, from, level, text }: LogLine): string {
  const time = at === undefined ? '' : `${new Date(at).toISOString()} `;
  return `${time}${from}${level === undefined ? '' : ` [${level}]`}: ${text}\n`;
}

export function parseLogLine(line: string): LogLine {
  const match = pattern.exec(line);
  if (match === null) return { at: undefined, from: 'server', level: undefined, text: line };
  const [, time = '', from, level, text = ''] = match;
  return {
    at: Date.parse(time),
    from: from === 'tooltray' ? 'tooltray' : 'server',
    level: isLogLevel(level) ? level : undefined,
    text,
  };
}

export function isLogLevel(value: unknown): value is LogLevel {
  return (logLevels as readonly unknown[]).includes(value);
}
