/**
 * The files of the audit log: `000000000001.jsonl` and so on, each named after its first record, which is a signed
 * head. The oldest files are removed beyond a limit; the head at the start of the next one covers them.
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
import { setImmediate } from 'node:timers/promises';
import { type AuditLog, type LogSegment, type SignedHead, type OpenLog } from './audit-log.ts';
import { maxLineBytes, type ChainLink, genesisLink, parseLine } from './hash-chain.ts';

export interface AuditSegment {
  readonly file: string;
  /** Number of its first record. */
  readonly first: number;
}

/** The end of the log. */
export interface LogEnd extends ChainLink {
  readonly file: string;
  /** Bytes of the file up to the end of its last whole line. */
  readonly size: number;
  /** Bytes of a partial line that were removed, left by a killed process. */
  readonly torn: number;
}

const nameShape = /^(\d{12,15})\.jsonl$/;

export function segmentFile(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(12, '0')}.jsonl`);
}

/** Oldest first. */
export function segmentsIn(folder: string): readonly AuditSegment[] {
  return toSegments(folder, readdirSync(folder));
}

function toSegments(folder: string, names: readonly string[]): readonly AuditSegment[] {
  const found = names.flatMap((name) => {
    const [, first] = nameShape.exec(name) ?? [];
    return first === undefined ? [] : [{ file: join(folder, name), first: Number(first) }];
  });
  return found.toSorted((one, other) => one.first - other.first);
}

/**
 * Returns the end of the log, after removing a partial line. The caller must hold the lock. Throws file system errors.
 */
export function openLogEnd(folder: string): LogEnd {
  let torn = 0;
  for (const { file, first } of segmentsIn(folder).toReversed()) {
    const end = mendFile(file, first);
    torn += end.torn;
    if (end.size > 0) return { ...end, file, torn };
    // An empty file: the previous one continues.
    rmSync(file, { force: true });
  }
  return { ...genesisLink, file: segmentFile(folder, 1), size: 0, torn };
}

function mendFile(file: string, first: number): Omit<LogEnd, 'file'> {
  const descriptor = openSync(file, constants.O_RDWR);
  try {
    const size = fstatSync(descriptor).size;
    const start = Math.max(0, size - 2 * maxLineBytes);
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

/** The last record's number and hash. Damaged lines count, so that no number is used twice. */
function lastLink(text: string, first: number): ChainLink {
  const lines = text.split('\n').slice(0, -1);
  for (let behind = 0; behind < lines.length; behind++) {
    const line = parseLine(lines[lines.length - 1 - behind] ?? '');
    if (line !== undefined) return { seq: line.seq + behind, hash: line.hash };
  }
  return { seq: first - 1 + lines.length, hash: genesisLink.hash };
}

interface OpenSegment extends AuditSegment {
  readonly handle: FileHandle;
}

/** Opens all segments, so that trimming takes none of them away while they are read; the caller closes them. */
async function openSegments(folder: string): Promise<readonly OpenSegment[]> {
  for (let attempt = 1; ; attempt++) {
    const listed = toSegments(folder, await readdir(folder).catch(ignoreMissing));
    const opened = await Promise.allSettled(listed.map((each) => open(each.file, 'r')));
    const segments = listed.flatMap((each, at): OpenSegment[] => {
      const one = opened[at];
      return one?.status === 'fulfilled' ? [{ ...each, handle: one.value }] : [];
    });
    if (segments.length === listed.length) return segments;
    await closeSegments(segments);
    const failed = opened.find((one) => one.status === 'rejected');
    // A file was removed by retention meanwhile.
    if (attempt === 5) throw failed?.reason;
  }
}

async function closeSegments(segments: readonly OpenSegment[]): Promise<void> {
  await Promise.all(segments.map(({ handle }) => handle.close()));
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** The lines of a segment in order; a last one without a line feed is torn. */
async function* linesOf({ handle }: OpenSegment): AsyncGenerator<{ text: string; isTorn: boolean }> {
  const lines = await readLines(handle);
  const torn = lines.pop() ?? '';
  for (const [at, text] of lines.entries()) {
    // Yields to other work, because every line is hashed.
    if (at % 1000 === 999) await setImmediate();
    yield { text, isTorn: false };
  }
  if (torn !== '') yield { text: torn, isTorn: true };
}

/** The complete lines of a segment in reverse order. */
async function* backwards({ handle }: OpenSegment): AsyncGenerator<readonly string[]> {
  yield (await readLines(handle)).slice(0, -1).reverse();
}

/** A segment is small enough to be read as a whole. */
async function readLines(handle: FileHandle): Promise<string[]> {
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.toString('utf8', 0, bytesRead).split('\n');
}

/** Reads the audit log of a folder. */
export class FileAuditLog implements AuditLog {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  recordedHead(): Promise<SignedHead | undefined> {
    return Promise.resolve(readNotedHead(this.#folder));
  }

  async open(): Promise<OpenLog> {
    const segments = await openSegments(this.#folder);
    const parts = segments.map((segment): LogSegment => {
      return { first: segment.first, lines: () => linesOf(segment), backwards: () => backwards(segment) };
    });
    return { parts, close: () => closeSegments(segments) };
  }
}

export function headFile(folder: string): string {
  return join(folder, 'head.json');
}

/** An unreadable head counts as missing. */
export function readNotedHead(folder: string): SignedHead | undefined {
  let text: string;
  try {
    text = readFileSync(headFile(folder), 'utf8');
  } catch {
    return undefined;
  }
  const [, seq, at, hash] = /^\{"seq":(\d+),"at":(\d+),"hash":"([\w-]{43})"\}\s*$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), at: Number(at), hash };
}
