/** Detects a result's format from its beginning, regardless of its MIME type. Pure. */
import type { AnswerSource } from './result-source.ts';

export type ContentKind =
  | Exclude<AnswerSource['kind'], 'text'>
  | 'ndjson'
  | 'csv'
  | 'tsv'
  | 'log'
  | 'html'
  | 'xml'
  | 'markdown'
  | 'text';

export const contentNames: Readonly<Record<ContentKind, string>> = {
  json: 'JSON',
  ndjson: 'NDJSON',
  csv: 'CSV',
  tsv: 'TSV',
  log: 'Log',
  html: 'HTML',
  xml: 'XML',
  markdown: 'Markdown',
  toon: 'TOON',
  text: 'Text',
  image: 'Image',
  audio: 'Audio',
  binary: 'Binary',
};

/** Number of lines examined. */
export const sniffedLines = 60;

const logLine =
  /^\W{0,2}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b)/;

/** `lines`: the first ones. Data and media as determined by the core take precedence. */
export function contentKindOf(kind: AnswerSource['kind'], lines: readonly string[]): ContentKind {
  if (kind !== 'text') return kind;
  const full = lines.filter((line) => line.trim() !== '');
  const [first = ''] = full;
  if (
    /^\s*(?:<!--|<!doctype html|<html|<head|<body)/i.test(first) &&
    /<(?:!doctype html|html|head|body)\b/i.test(full.join('\n'))
  ) {
    return 'html';
  }
  if (/^\s*<(?:\?xml|[a-z][\w:-]*[\s>])/i.test(first)) return 'xml';
  if (full.length > 1 && full.slice(0, -1).every(isJsonLine)) return 'ndjson';
  const logs = full.filter((line) => logLine.test(line)).length;
  if (logs >= 3 && logs >= full.length / 4) return 'log';
  if (isDelimited(full, '\t')) return 'tsv';
  if (isDelimited(full, ',')) return 'csv';
  const marks = full.filter((line) => /^(?:#{1,6} |[-*] |\d+\. |> |```|\|.*\|$)/.test(line)).length;
  return marks >= 2 && full.some((line) => /^(?:#{1,6} |```|\|.*\|$)/.test(line)) ? 'markdown' : 'text';
}

function isJsonLine(line: string): boolean {
  if (!/^\s*[[{]/.test(line)) return false;
  // Lines that are too long are truncated.
  if (line.length >= 4_000) return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Whether every line has as many separators as the first, outside quotes. */
function isDelimited(lines: readonly string[], separator: string): boolean {
  if (lines.length < 3) return false;
  const counts = lines.slice(0, -1).map((line) => line.replace(/"(?:[^"]|"")*"/g, '').split(separator).length);
  const [first = 1] = counts;
  return first > 1 && counts.filter((many) => many === first).length >= counts.length * 0.95;
}
