/**
 * The format of a server's log file: `2026-11-23T10:24:00.123Z server [warning]: text`, one self-contained entry per
 * line. A line in another format belongs to the server and has no time.
 */

/** The levels of MCP (RFC 5424), least severe first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogLine {
  /** ms since 1970; undefined if unknown. */
  readonly at: number | undefined;
  /** `tooltray`: an event that Tooltray reports. */
  readonly from: 'server' | 'tooltray';
  /** Undefined if there was none. */
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
