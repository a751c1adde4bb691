/** Detects the media type of a text that was sent without one. Pure. */
import { formatOf } from '../tables/text-tables.ts';
import type { PartLook } from './summary.ts';

/** Number of lines and of characters examined. */
const [maxLines, maxLength] = [60, 16 * 1024];
const logLine =
  /^\W{0,2}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b)/;

/** Returns `text/plain` for a text of no known format. Servers send most texts as plain ones, whatever they contain. */
export function textTypeOf({ first, bytes }: Pick<PartLook, 'first' | 'bytes'>): string {
  const text = first.toString('utf8', 0, maxLength).replace(/^\ufeff/, '');
  const lines = text
    .split('\n')
    .slice(0, maxLines)
    .filter((line) => line.trim() !== '');
  const [start = ''] = lines;
  if (/^\s*(?:<!--|<!doctype html|<html|<head|<body)/i.test(start) && /<(?:!doctype html|html|head|body)\b/i.test(text))
    return 'text/html';
  if (/^\s*<(?:\?xml|[a-z][\w:-]*[\s>])/i.test(start)) return 'text/xml';
  const format = formatOf(text, bytes <= maxLength);
  if (format.kind === 'ndjson') return 'application/x-ndjson';
  const logs = lines.filter((line) => logLine.test(line)).length;
  if (logs >= 3 && logs >= lines.length / 4) return 'text/x-log';
  if (format.kind === 'delimited') return format.delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv';
  const marks = lines.filter((line) => /^(?:#{1,6} |[-*] |\d+\. |> |```|\|.*\|\r?$)/.test(line)).length;
  const isMarkdown = marks >= 2 && lines.some((line) => /^(?:#{1,6} |```|\|.*\|\r?$)/.test(line));
  return isMarkdown ? 'text/markdown' : 'text/plain';
}
