/** Descriptions of a spilled result. Pure. */
import type { SpillRow } from '../../../src-main/rpc/contract.ts';
import { bytes, compact, count } from '../../lib/format.ts';
import { contentNames } from '../result/content-kind.ts';

const textNames: Readonly<Record<string, string>> = {
  'application/x-ndjson': contentNames.ndjson,
  'text/csv': contentNames.csv,
  'text/html': contentNames.html,
  'text/markdown': contentNames.markdown,
  'text/tab-separated-values': contentNames.tsv,
  'text/x-log': contentNames.log,
  'text/xml': contentNames.xml,
};

/** The format of the content: `CSV`, `JSON`, `Image`. */
export function kindOfSpill({ kind, mimeType }: Pick<SpillRow, 'kind' | 'mimeType'>): string {
  return (kind === 'text' ? textNames[mimeType] : undefined) ?? contentNames[kind];
}

/** Whether its names or its argument contain every word of a search, and it is of this kind (`kindOfSpill`). */
export function spillFits(spill: SpillRow, text: string, kind: string | undefined): boolean {
  if (kind !== undefined && kindOfSpill(spill) !== kind) return false;
  const all = `${spill.server} ${spill.tool} ${spill.preview} ${spill.app}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `Pinned`, `in 6 days`, `in 5 h`, `soon`. */
export function expiryInWords({ pinned, expiresAt }: SpillRow, now: number): string {
  if (pinned) return 'Pinned';
  if (expiresAt === undefined) return 'Never';
  const left = expiresAt - now;
  if (left < hourMs) return 'soon';
  return left < 2 * dayMs ? `in ${Math.round(left / hourMs)} h` : `in ${count(Math.round(left / dayMs), 'day')}`;
}

/** Tokens of the server's full result, in short; a tilde before an estimate, a dash if not recorded. */
export function sentTokens({ sentTokens: tokens, sentEstimated }: SpillRow): string {
  return tokens === undefined ? '–' : `${sentEstimated ? '~' : ''}${compact(tokens)}`;
}

/** `server sent 91.4 kB, 27,310 tokens`; empty if not recorded. */
export function sentInWords({ sentBytes, sentTokens: tokens, sentEstimated }: SpillRow): readonly string[] {
  if (sentBytes === undefined || tokens === undefined) return [];
  return [`result ${bytes(sentBytes)}, ${sentEstimated ? 'about ' : ''}${count(tokens, 'token')}`];
}

/** `412 MB of 1 GB · 12 spills · retained 7 days`. */
export function usageInWords(usage: {
  readonly bytes: number;
  readonly maxBytes: number;
  readonly count: number;
  readonly retentionDays: number;
}): string {
  const retention = `retained ${count(usage.retentionDays, 'day')}`;
  return [`${bytes(usage.bytes)} of ${bytes(usage.maxBytes)}`, count(usage.count, 'spill'), retention].join(' · ');
}

/** Shown instead of an empty list of reads; empty while they are unknown, or if there are some. */
export function noReadsText(reads: readonly unknown[] | undefined): string {
  return reads?.length === 0 ? 'Nothing was read back.' : '';
}
