/** Tokens of what is kept: counted up to 4 MB, estimated from pieces of it beyond. */
import { open } from 'node:fs/promises';

export interface CountedTokens {
  readonly tokens: number;
  readonly estimated: boolean;
}

/** Counts in a thread of its own, and estimates what it has no time for. */
export type CountText = (text: string) => Promise<CountedTokens>;

const mostCounted = 4 * 1024 * 1024;
const pieces = 32;
const pieceBytes = 16 * 1024;

/** Gives the bytes from `start` on, at most `length`. */
type ReadBytes = (start: number, length: number) => Promise<Buffer>;

export async function tokensOfFile(file: string, bytes: number, count: CountText): Promise<CountedTokens> {
  await using handle = await open(file, 'r');
  return await tokensOf(bytes, count, async (start, length) => {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  });
}

export function tokensOfChunks(chunks: readonly Uint8Array[], count: CountText): Promise<CountedTokens> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return tokensOf(bytes, count, (start, length) => Promise.resolve(slice(chunks, start, length)));
}

async function tokensOf(bytes: number, count: CountText, read: ReadBytes): Promise<CountedTokens> {
  if (bytes <= mostCounted) return count((await read(0, bytes)).toString('utf8'));
  const step = (bytes - pieceBytes) / (pieces - 1);
  let tokens = 0;
  for (let piece = 0; piece < pieces; piece++) {
    // A character that is cut reads as one replacement: the estimate does not mind.
    const text = (await read(Math.floor(piece * step), pieceBytes)).toString('utf8');
    tokens += (await count(text)).tokens;
  }
  return { tokens: Math.round((tokens * bytes) / (pieces * pieceBytes)), estimated: true };
}

function slice(chunks: readonly Uint8Array[], start: number, length: number): Buffer {
  const found: Uint8Array[] = [];
  let offset = 0;
  for (const chunk of chunks) {
    const from = Math.max(0, start - offset);
    const to = Math.min(chunk.length, start + length - offset);
    if (from < to) found.push(chunk.subarray(from, to));
    offset += chunk.length;
    if (offset >= start + length) break;
  }
  return Buffer.concat(found);
}
