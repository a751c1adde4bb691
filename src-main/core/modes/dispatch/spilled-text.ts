/** What is said in place of an answer that was written to a file. */
import { isObject } from '../../base/json.ts';
import type { KeptResult } from '../../results/result-files.ts';

const previewLength = 300;
const mostKeys = 50;

/** `exceeded`: the threshold that made it a file unasked, in bytes. `text` is the answer as compact JSON. */
export function spilledText(kept: KeptResult, value: unknown, text: string, exceeded: number | undefined): string {
  const why = exceeded === undefined ? 'written' : 'auto-spilled';
  const limit = exceeded === undefined ? '' : ` (exceeded ${exceeded} bytes)`;
  const preview = text.slice(0, previewLength).replace(/[\ud800-\udbff]$/, '');
  return [
    `Result ${why} to temporary JSON file${limit}: ${kept.file} (auto-deleted at shutdown).`,
    `Size: ${kept.bytes} bytes (~${Math.ceil(kept.bytes / 4)} tokens).`,
    `Read it with proxy-dispatch: action='readresult', resultFile, op='stat' | 'head' | 'tail' | 'slice' | 'grep' | 'read'.`,
    `Format: ${kept.format.toUpperCase()}.`,
    ...shapeOf(value),
    `Preview: ${preview}${text.length > preview.length ? '...' : ''}`,
  ].join('\n');
}

function shapeOf(value: unknown): string[] {
  if (Array.isArray(value)) return [`Result is an array with ${value.length} element(s).`];
  if (!isObject(value)) return [];
  const keys = Object.keys(value);
  const more = keys.length > mostKeys ? [`${keys.length - mostKeys} more`] : [];
  return [`Top-level keys: [${[...keys.slice(0, mostKeys), ...more].join(', ')}]`];
}
