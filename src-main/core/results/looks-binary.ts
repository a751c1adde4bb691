/** Whether a file is text, by its first bytes. */
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

const lookedAt = 8192;

export async function looksBinary(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(lookedAt), 0, lookedAt, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) return true;
  // The last character may be cut.
  return bytesRead < lookedAt
    ? !isUtf8(bytes)
    : ![0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytesRead - cut)));
}
