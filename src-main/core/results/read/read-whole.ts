/** The whole of a kept answer in memory, where it is small enough to go on from there. */
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';

const longestWhole = 64 * 1024 * 1024;

export interface WholeFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

/** Rejects with AppError unsupported beyond 64 MB. */
export async function readWhole({ handle, bytes }: WholeFile): Promise<Buffer> {
  if (bytes > longestWhole) {
    const [size, limit] = [bytes, longestWhole].map((number) => Math.ceil(number / 1024 / 1024));
    throw new AppError('unsupported', `The file has ${size} MB; up to ${limit} MB can be taken whole.`, {
      fix: 'Read parts of it: grep, head, tail, slice, read, query.',
    });
  }
  const whole = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await handle.read(whole, filled, bytes - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return whole.subarray(0, filled);
}
