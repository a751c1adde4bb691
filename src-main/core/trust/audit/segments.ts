/**
 * The files of the audit log: `000000000001.jsonl` and so on, each named after its first record, which is a signed head. The oldest go
 * when there are too many; the head that the next one begins with vouches for what was before it.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditLog, chunkBytes, type LogPart, type NotedHead, type OpenLog } from './audit-log.ts';
import { longestLine, type Link, origin, readLine } from './chain.ts';

export interface Segment {
  readonly file: string;
  /** Number of its first record. */
  readonly first: number;
}

/** Where the log ends. */
export interface Tail extends Link {
  readonly file: string;
  /** Bytes of the file up to the end of its last whole line. */
  readonly size: number;
  /** Bytes that were taken away behind it: half a line of a process that was killed. */
  readonly torn: number;
}

const nameShape = /^(\d{12,15})\.jsonl$/;

export function segmentFile(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(12, '0')}.jsonl`);
}

/** Oldest first. */
export function segmentsIn(folder: string): readonly Segment[] {
  return toSegments(folder, readdirSync(folder));
}

function toSegments(folder: string, names: readonly string[]): readonly Segment[] {
  const found = names.flatMap((name) => {
    const [, first] = nameShape.exec(name) ?? [];
    return first === undefined ? [] : [{ file: join(folder, name), first: Number(first) }];
  });
  return found.toSorted((one, other) => one.first - other.first);
}

/** The end of the log, mended: what is half written there goes. Whoever calls it holds the lock. Throws what the file system throws. */
export function openTail(folder: string): Tail {
  let torn = 0;
  for (const { file, first } of segmentsIn(folder).toReversed()) {
    const end = mendFile(file, first);
    torn += end.torn;
    if (end.size > 0) return { ...end, file, torn };
    // It holds nothing: the one before goes on.
    rmSync(file, { force: true });
  }
  return { ...origin, file: segmentFile(folder, 1), size: 0, torn };
}

function mendFile(file: string, first: number): Omit<Tail, 'file'> {
  const descriptor = openSync(file, constants.O_RDWR);
  try {
    const size = fstatSync(descriptor).size;
    const start = Math.max(0, size - 2 * longestLine);
    const bytes = Buffer.alloc(size - start);
    readSync(descriptor, bytes, 0, bytes.length, start);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    const torn = bytes.length - whole;
    if (torn > 0) ftruncateSync(descriptor, start + whole);
    return { ...lastLink(bytes.subarray(0, whole).toString('utf8'), first), size: start + whole, torn };
  } finally {
    closeSync(descriptor);
  }
}

/** Lines that somebody spoilt still count, so that no number is used twice. */
function lastLink(text: string, first: number): Link {
  const lines = text.split('\n').slice(0, -1);
  for (let behind = 0; behind < lines.length; behind++) {
    const line = readLine(lines[lines.length - 1 - behind] ?? '');
    if (line !== undefined) return { seq: line.seq + behind, hash: line.hash };
  }
  return { seq: first - 1 + lines.length, hash: origin.hash };
}

/** An opened segment and how much of it there was then. */
interface OpenSegment extends Segment {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * All segments as they are at one moment, opened, so that trimming takes none of them away while they are read; whoever asks closes
 * them. None where there is no log.
 */
async function openSegments(folder: string): Promise<readonly OpenSegment[]> {
  for (let attempt = 1; ; attempt++) {
    const listed = toSegments(folder, await readdir(folder).catch(ignoreMissing));
    const opened = await Promise.allSettled(listed.map(openSegment));
    const open = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (open.length === listed.length) return open;
    await closeSegments(open);
    const failed = opened.find((one) => one.status === 'rejected');
    // One was trimmed in between.
    if (attempt === 5) throw failed?.reason;
  }
}

async function closeSegments(segments: readonly OpenSegment[]): Promise<void> {
  await Promise.all(segments.map(({ handle }) => handle.close()));
}

async function openSegment(segment: Segment): Promise<OpenSegment> {
  const handle = await open(segment.file, 'r');
  try {
    return { ...segment, handle, size: (await handle.stat()).size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** Whole lines of a segment, in order, with what stands behind the last line feed: no file is ever in memory as a whole. */
async function* linesOf({ handle, size }: OpenSegment): AsyncGenerator<{ text: string; isTorn: boolean }> {
  const buffer = Buffer.alloc(chunkBytes);
  let rest: Buffer = Buffer.alloc(0);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(chunkBytes, size - at), at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const bytes =
      rest.length === 0 ? buffer.subarray(0, bytesRead) : Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
      yield { text: bytes.toString('utf8', from, end), isTorn: false };
      from = end + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
    // No line of ours is that long: what goes on without an end is told in pieces.
    if (rest.length > 4 * longestLine) {
      yield { text: rest.toString('utf8'), isTorn: false };
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), isTorn: true };
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

/** The log of a folder, read. */
export class FileLog implements AuditLog {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  notedHead(): Promise<NotedHead | undefined> {
    return Promise.resolve(readNotedHead(this.#folder));
  }

  async open(): Promise<OpenLog> {
    const segments = await openSegments(this.#folder);
    const parts = segments.map((segment): LogPart => {
      return { first: segment.first, lines: () => linesOf(segment), backwards: () => backwards(segment) };
    });
    return { parts, close: () => closeSegments(segments) };
  }
}

export function headFile(folder: string): string {
  return join(folder, 'head.json');
}

/** One that cannot be read is none. */
export function readNotedHead(folder: string): NotedHead | undefined {
  let text: string;
  try {
    text = readFileSync(headFile(folder), 'utf8');
  } catch {
    return undefined;
  }
  const [, seq, at, hash] = /^\{"seq":(\d+),"at":(\d+),"hash":"([\w-]{43})"\}\s*$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), at: Number(at), hash };
}
