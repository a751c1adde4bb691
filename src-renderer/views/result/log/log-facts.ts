/** Levels of a log, and the distribution of its lines over time. Pure. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const levelWords: readonly (readonly [LogLevel, RegExp])[] = [
  ['error', /\b(?:ERROR|ERR|FATAL|CRITICAL|SEVERE|PANIC|error)\b/],
  ['warn', /\b(?:WARN|WARNING|warn|warning)\b/],
  ['info', /\b(?:INFO|NOTICE|info|notice)\b/],
  ['debug', /\b(?:DEBUG|TRACE|VERBOSE|debug|trace)\b/],
];
/** Levels are searched at the beginning of a line. */
const levelWithin = 80;
const time = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;

/** Regular expressions for lines of a level, sent to the core. */
export const levelPatterns: Readonly<Record<LogLevel, string>> = {
  error: String.raw`\b(?:error|err|fatal|critical|severe|panic)\b`,
  warn: String.raw`\bwarn(?:ing)?\b`,
  info: String.raw`\b(?:info|notice)\b`,
  debug: String.raw`\b(?:debug|trace|verbose)\b`,
};

/** undefined for a line without a level, such as one of a stack trace. */
export function levelOf(line: string): LogLevel | undefined {
  const head = line.slice(0, levelWithin);
  return levelWords.find(([, pattern]) => pattern.test(head))?.[0];
}

/** In ms since 1970; undefined if the line does not start with a time. */
export function timeOf(line: string): number | undefined {
  const match = time.exec(line.slice(0, 48));
  if (match === null) return undefined;
  const at = Date.parse(match[0].replace(',', '.').replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : at;
}

export interface LogFacts {
  readonly counts: Readonly<Record<LogLevel, number>>;
  readonly from: number;
  readonly to: number;
  /** Equal time intervals: number of lines and errors, and the first line (1-based; 0: none). */
  readonly bins: readonly { readonly lines: number; readonly errors: number; readonly firstLine: number }[];
}

const binCount = 80;

export function logFacts(text: string): LogFacts {
  const counts = { error: 0, warn: 0, info: 0, debug: 0 };
  const lines = text.split('\n');
  const times = lines.map(timeOf);
  const known = times.filter((at) => at !== undefined);
  const [from, to] = [
    known.reduce((a, b) => Math.min(a, b), Infinity),
    known.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const bins = Array.from({ length: binCount }, () => ({ lines: 0, errors: 0, firstLine: 0 }));
  lines.forEach((line, index) => {
    const level = levelOf(line);
    if (level !== undefined) counts[level]++;
    const at = times[index];
    const bin =
      at === undefined || to <= from
        ? undefined
        : bins[Math.min(binCount - 1, Math.floor(((at - from) / (to - from)) * binCount))];
    if (bin === undefined) return;
    bin.lines++;
    if (level === 'error') bin.errors++;
    if (bin.firstLine === 0) bin.firstLine = index + 1;
  });
  return { counts, from, to, bins };
}
