/** Labels server results in the background: no result is delayed or changed by it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isObject } from '../base/json.ts';
import { type SensitiveKind, findSensitive } from '../trust/data-flow/sensitive-data.ts';
import type { LabelledResult, ScanThread } from '../trust/scan/scan-thread.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import { notScanned, sensitiveLabel } from './describe-labels.ts';

/** Only this much from the beginning of a longer result is scanned, in bytes or characters. */
const maxScannedLength = 8 * 1024 * 1024;

/** Characters that are searched for keys and cards before the event loop gets its next turn. */
const sliceSize = 128 * 1024;
/** Longer than any key or card; of a private key, the first line is enough. */
const sliceOverlap = 4096;

/**
 * Returns distinct label ids, empty for an ordinary result: rules of the scan, `holds-key`, `holds-private-key`,
 * `holds-card`, and `not-scanned` if the result was too large to scan whole. Never rejects.
 */
export async function labelResult(result: Result, scans: Pick<ScanThread, 'result'>): Promise<readonly string[]> {
  // A large result is serialized only after the response has been sent.
  if (result instanceof RawJson) await nextTurn();
  const isCut = result instanceof RawJson && result.byteLength > maxScannedLength;
  const text = textOf(result);
  const { labels, unread }: LabelledResult = await scans.result(text);
  const found = new Set(labels.map(({ rule }) => rule));
  for (const kind of await sensitiveKindsIn(text)) found.add(sensitiveLabel(kind));
  if (isCut || unread > 0 || text.length > maxScannedLength) found.add(notScanned);
  return [...found];
}

/** Sensitive data is no finding of the scan: an example key in a README must not quarantine a server. */
async function sensitiveKindsIn(text: string): Promise<ReadonlySet<SensitiveKind>> {
  const kinds = new Set<SensitiveKind>();
  const end = Math.min(text.length, maxScannedLength);
  for (let start = 0; start < end; start += sliceSize) {
    if (start > 0) await nextTurn();
    const from = Math.max(0, start - sliceOverlap);
    for (const { kind } of findSensitive(text.slice(from, Math.min(end, start + sliceSize)))) kinds.add(kind);
  }
  return kinds;
}

/**
 * All texts in a result, one per line. A result that was never parsed is unescaped only for line breaks and quotation
 * marks.
 */
function textOf(result: Result): string {
  if (!(result instanceof RawJson)) return textsIn(result, 0, []).join('\n\n');
  const bytes: Buffer[] = [];
  let length = 0;
  for (const chunk of result.chunks) {
    if (length >= maxScannedLength) break;
    bytes.push(chunk.subarray(0, maxScannedLength - length));
    length += chunk.length;
  }
  return Buffer.concat(bytes)
    .toString('utf8')
    .replace(/\\[nrt"]/g, (escape) => (escape === '\\"' ? ' "' : ' \n'));
}

const maxDepth = 64;
/** Whether a block is an image or audio. */
const isMedia = (value: Record<string, unknown>): boolean => value['type'] === 'image' || value['type'] === 'audio';

function textsIn(value: unknown, depth: number, found: string[]): string[] {
  if (typeof value === 'string') found.push(value);
  else if (depth > maxDepth) return found;
  else if (Array.isArray(value)) for (const item of value) textsIn(item, depth + 1, found);
  else if (isObject(value) && !isMedia(value)) {
    for (const key of Object.keys(value)) if (key !== 'blob') textsIn(value[key], depth + 1, found);
  }
  return found;
}
