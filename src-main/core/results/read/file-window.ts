/** Parts of an open file, read at once in a thread of its own. */
import { readSync } from 'node:fs';

/** Fewer bytes than asked for only at the end of the file. */
export function readWindow(fd: number, from: number, length: number): Buffer {
  const window = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < window.length) {
    const count = readSync(fd, window, filled, window.length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return window.subarray(0, filled);
}

/** How many of these bytes end with a whole character: what begins at the end and goes on behind it is left out. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    // The first byte of a character tells how many follow it.
    if (byte >= 0xc0) return back < sequenceLength(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** How many bytes at the beginning belong to a character that began before them. */
export function brokenCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

/** A text that takes at most this many bytes, cut between characters. */
export function cutText(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text.slice(0, maxBytes)).subarray(0, Math.max(0, maxBytes));
  return bytes.toString('utf8', 0, wholeCharacters(bytes));
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
