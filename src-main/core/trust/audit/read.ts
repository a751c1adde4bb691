/** Reads the log: the newest records first, in pages, or all of them in order. Nothing is proved by that; `verify.ts` does. */
import { recordIn } from './chain.ts';
import { type AuditFilter, type AuditRecord, fits } from './entries.ts';
import { closeSegments, linesOf, type OpenSegment, openSegments } from './segments.ts';

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditRecord[];
  /** Where to go on, as `before`; undefined: that was all. */
  readonly next: number | undefined;
}

const chunkBytes = 256 * 1024;
/** Read for one page, so that a filter that fits nothing holds nobody up. */
const mostBytes = 32 * 1024 * 1024;

/** Records with a number below `before` that fit; lines that are no records are left out. Rejects with what the file system throws. */
export async function readPage(
  folder: string,
  filter: AuditFilter,
  limit: number,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<AuditPage> {
  const segments = await openSegments(folder);
  const entries: AuditRecord[] = [];
  let left = mostBytes;
  let lowest = before;
  try {
    for (const segment of segments.toReversed()) {
      if (segment.first >= before) continue;
      for await (const lines of backwards(segment)) {
        for (const text of lines) {
          const record = recordIn(text);
          if (record === undefined || record.seq >= lowest) continue;
          lowest = record.seq;
          if (filter.since !== undefined && record.at < filter.since) return { entries, next: undefined };
          if (!fits(record, filter)) continue;
          entries.push(record);
          if (entries.length === limit) return { entries, next: lowest > 1 ? lowest : undefined };
        }
        left -= chunkBytes;
        if (left <= 0) return { entries, next: lowest > 1 ? lowest : undefined };
      }
    }
    return { entries, next: undefined };
  } finally {
    await closeSegments(segments);
  }
}

export interface RecordLine {
  readonly record: AuditRecord;
  /** As it stands in the log, without its line feed. */
  readonly text: string;
}

/** Oldest first. */
export async function* readAll(folder: string, filter: AuditFilter, after = 0): AsyncGenerator<RecordLine> {
  const segments = await openSegments(folder);
  try {
    for (const [at, segment] of segments.entries()) {
      if ((segments[at + 1]?.first ?? Infinity) <= after) continue;
      for await (const { text, isTorn } of linesOf(segment)) {
        const record = isTorn ? undefined : recordIn(text);
        if (record !== undefined && record.seq > after && fits(record, filter)) yield { record, text };
      }
    }
  } finally {
    await closeSegments(segments);
  }
}

/** Whole lines, the last one first, a chunk at a time. */
async function* backwards({ handle, size }: OpenSegment): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0);
  let isEnd = true;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunkBytes);
    const chunk = Buffer.alloc(end - start);
    await handle.read(chunk, 0, chunk.length, start);
    const bytes = Buffer.concat([chunk, rest]);
    const from = start === 0 ? 0 : bytes.indexOf(0x0a) + 1;
    // What begins before this chunk waits for the one before.
    rest = bytes.subarray(0, from);
    const lines = bytes.toString('utf8', from).split('\n');
    // What stands behind the last line feed of all is no line.
    if (isEnd) lines.pop();
    isEnd = false;
    yield lines.filter((text) => text !== '').toReversed();
    end = start;
  }
}
