/** Pieces of a huge text that is held as bytes, without ever making it a text. */

export interface ByteSample {
  readonly text: string;
  /** What a count over the pieces is multiplied by to speak of the whole. */
  readonly scale: number;
}

const pieces = 32;

/** `length` bytes in all, in pieces spread evenly from first to last. A character cut at an edge is one replacement mark. */
export function sampleBytes(chunks: readonly Buffer[], length: number): ByteSample {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (total <= length) return { text: Buffer.concat(chunks).toString('utf8'), scale: 1 };
  const each = Math.max(1, Math.floor(length / pieces));
  const step = (total - each) / (pieces - 1);
  const cuts = Array.from({ length: pieces }, (_, index) => range(chunks, Math.floor(index * step), each));
  return { text: cuts.join(''), scale: total / (each * pieces) };
}

function range(chunks: readonly Buffer[], start: number, length: number): string {
  const found: Buffer[] = [];
  let before = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - before), Math.max(0, start + length - before));
    if (part.length > 0) found.push(part);
    before += chunk.length;
  }
  return Buffer.concat(found).toString('utf8');
}
