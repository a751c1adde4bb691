/** Labels what servers answered, behind the answer's back: no answer waits for it, and none is changed by it. */
import { isObject } from '../base/json.ts';
import type { LabelledResult, ScanThread } from '../trust/scan/scan-thread.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/** In bytes: of a longer answer the beginning is looked at. */
const longestRead = 8 * 1024 * 1024;

/** Ids of rules, each once; empty for an ordinary answer. `not-scanned` where there was more than could be looked at. Never rejects. */
export async function labelsOf(result: Result, scans: Pick<ScanThread, 'result'>): Promise<readonly string[]> {
  const isCut = result instanceof RawJson && result.byteLength > longestRead;
  const { labels, unread }: LabelledResult = await scans.result(textOf(result));
  const rules = new Set(labels.map(({ rule }) => rule));
  if (isCut || unread > 0) rules.add('not-scanned');
  return [...rules];
}

/** All texts in it, one below the other; of what was never parsed its JSON with line ends and quotation marks as they are meant. */
function textOf(result: Result): string {
  if (!(result instanceof RawJson)) return textsIn(result).join('\n\n');
  const bytes: Buffer[] = [];
  let length = 0;
  for (const chunk of result.chunks) {
    if (length >= longestRead) break;
    bytes.push(chunk.subarray(0, longestRead - length));
    length += chunk.length;
  }
  return Buffer.concat(bytes)
    .toString('utf8')
    .replace(/\\[nrt"]/g, (escape) => (escape === '\\"' ? ' "' : ' \n'));
}

const deepest = 64;
/** A picture or a recording. */
const isMedia = (value: Record<string, unknown>): boolean => value['type'] === 'image' || value['type'] === 'audio';

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1));
  if (!isObject(value) || isMedia(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === 'blob' ? [] : textsIn(item, depth + 1)));
}
