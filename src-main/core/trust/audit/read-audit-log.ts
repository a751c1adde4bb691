/** Reads the log: the newest records in pages, or all of them in order. Verifies nothing (see verify-audit-log.ts). */
import type { AuditLog } from './audit-log.ts';
import { parseRecord } from './hash-chain.ts';
import { type AuditFilter, type AuditRecord, matchesFilter } from './audit-entries.ts';

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditRecord[];
  /** The `before` of the next page; undefined after the last one. */
  readonly next: number | undefined;
}

/** Maximum number of characters read for one page, so that a filter without matches stays fast. */
const maxRead = 32 * 1024 * 1024;

/** Matching records with a number below `before`; malformed lines are skipped. Rejects as `log.open` does. */
export async function readPage(
  log: AuditLog,
  filter: AuditFilter,
  limit: number,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<AuditPage> {
  const open = await log.open();
  const entries: AuditRecord[] = [];
  let left = maxRead;
  let lowest = before;
  try {
    for (const part of open.parts.toReversed()) {
      if (part.first >= before) continue;
      for await (const lines of part.backwards(before)) {
        for (const text of lines) {
          const record = parseRecord(text);
          if (record === undefined || record.seq >= lowest) continue;
          lowest = record.seq;
          if (filter.since !== undefined && record.at < filter.since) return { entries, next: undefined };
          if (!matchesFilter(record, filter)) continue;
          entries.push(record);
          if (entries.length === limit) return { entries, next: lowest > 1 ? lowest : undefined };
        }
        left -= lines.reduce((sum, { length }) => sum + length, 0);
        if (left <= 0) return { entries, next: lowest > 1 ? lowest : undefined };
      }
    }
    return { entries, next: undefined };
  } finally {
    await open.close();
  }
}

export interface RecordLine {
  readonly record: AuditRecord;
  /** The line in the log, without its line feed. */
  readonly text: string;
}

/** Oldest first. */
export async function* readAll(log: AuditLog, filter: AuditFilter, after = 0): AsyncGenerator<RecordLine> {
  const open = await log.open();
  try {
    for (const [at, part] of open.parts.entries()) {
      if ((open.parts[at + 1]?.first ?? Infinity) <= after) continue;
      for await (const { text, isTorn } of part.lines(after)) {
        const record = isTorn ? undefined : parseRecord(text);
        if (record !== undefined && record.seq > after && matchesFilter(record, filter)) yield { record, text };
      }
    }
  } finally {
    await open.close();
  }
}
