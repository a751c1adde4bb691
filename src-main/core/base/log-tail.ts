/** Reads the end of a log file and follows it, also across its rotation to `<name>.1`. */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from './errors.ts';

export interface LogTail {
  /** Complete lines, oldest first. */
  readonly lines: readonly string[];
  /** The position to continue from; opaque. */
  readonly mark: string;
  /** Whether more was written than one read returns, so that the oldest lines are missing. */
  readonly skipped: boolean;
}

interface Part {
  readonly text: string;
  readonly mark: string;
  /** Whether the file has content before this part. */
  readonly skipped: boolean;
}

/**
 * The last lines of a log, or those since `mark`; at most `maxBytes`. No line if there is no file. Rejects with
 * AppError `internal` if it is not a readable log.
 */
export async function readLogTail(file: string, maxBytes: number, mark?: string): Promise<LogTail> {
  try {
    const current = await readPart(file, maxBytes, mark);
    const remainingBytes = maxBytes - Buffer.byteLength(current?.text ?? '');
    // Also reads the rotated file, because a new file alone would contain very little.
    const before =
      current?.isGoingOn === true || current?.skipped === true
        ? undefined
        : await older(`${file}.1`, remainingBytes, mark);
    const text = (before?.text ?? '') + (current?.text ?? '');
    return {
      lines: text.split('\n').filter((line) => line !== ''),
      mark: current?.mark ?? mark ?? '',
      skipped: mark !== undefined && (current?.skipped === true || before?.skipped === true),
    };
  } catch (cause) {
    throw new AppError('internal', `The log ${basename(file)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

async function older(file: string, maxBytes: number, mark: string | undefined): Promise<Part | undefined> {
  if (maxBytes <= 0) return undefined;
  const part = await readPart(file, maxBytes, mark);
  // With a mark, reads only the file that the mark refers to.
  return mark === undefined || mark === '' || part?.isGoingOn === true ? part : undefined;
}

async function readPart(
  file: string,
  maxBytes: number,
  mark: string | undefined,
): Promise<(Part & { readonly isGoingOn: boolean }) | undefined> {
  const handle = await openThere(file);
  if (handle === undefined) return undefined;
  try {
    const { ino, size } = await handle.stat({ bigint: true });
    const [of, at] = (mark ?? '').split(':');
    const isGoingOn = of === String(ino) && Number(at) <= Number(size);
    const from = isGoingOn ? Number(at) : 0;
    const start = Math.max(from, Number(size) - maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Number(size) - start), 0, Number(size) - start, start);
    // An incomplete last line is read next time; a line without its start is omitted.
    const end = buffer.lastIndexOf(0x0a, bytesRead - 1) + 1;
    const begin = start > from ? buffer.indexOf(0x0a) + 1 : 0;
    return {
      text: buffer.toString('utf8', begin, Math.max(begin, end)),
      mark: `${ino}:${start + end}`,
      skipped: start > from,
      isGoingOn,
    };
  } finally {
    await handle.close();
  }
}

async function openThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
