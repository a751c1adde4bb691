/** Labels server results in the background: no result is delayed or changed by it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isObject } from '../base/json.ts';
import { type SensitiveKind, findSensitive } from '../trust/data-flow/sensitive-data.ts';
import type { LabelledResult, ScanThread } from '../trust/scan/scan-thread.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import { notScanned, sensitiveLabel } from './describe-labels.ts';

/** In bytes or characters: of a longer answer the beginning is looked at. */
const maxScannedLength = 8 * 1024 * 1024;

/** In characters: so much is looked through for keys and cards before others have their turn. */
const sliceSize = 128 * 1024;
/** Longer than any key or card. Of a private key the first line is enough. */
const sliceOverlap = 4096;

/**
 * Ids of labels, each once; empty for an ordinary answer: rules of the scan, `holds-key`, `holds-private-key`,
 * `holds-card`, and `not-scanned` where there was more than could be looked at. Never rejects.
 */
export async function labelResult(result: Result, scans: Pick<ScanThread, 'result'>): Promise<readonly string[]> {
  // A long one is made a text here, and is recorded at once: the answer is on its way first.
  if (result instanceof RawJson) await nextTurn();
  const isCut = result instanceof RawJson && result.byteLength > maxScannedLength;
  const text = textOf(result);
  const { labels, unread }: LabelledResult = await scans.result(text);
  const found = new Set(labels.map(({ rule }) => rule));
  for (const kind of await sensitiveKindsIn(text)) found.add(sensitiveLabel(kind));
  if (isCut || unread > 0 || text.length > maxScannedLength) found.add(notScanned);
  return [...found];
}

/** They are no findings of the scan: what a read-me shows as an example is nothing that a server should be held for. */
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
 * All texts in it, one below the other; of what was never parsed its JSON with line ends and quotation marks as they
 * are meant.
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
/** A picture or a recording. */
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
