/** Pieces of a large text, spread evenly, to estimate the tokens of the whole. */

interface TextSample {
  readonly text: string;
  /** Factor from a count over the pieces to the whole. */
  readonly scale: number;
}

const sampleCount = 32;

/**
 * The whole text up to `longest` characters, otherwise pieces of that total length, spread evenly from start to end.
 */
export function sampleText(text: string, longest: number): TextSample {
  if (text.length <= longest) return { text, scale: 1 };
  const length = Math.max(1, Math.floor(longest / sampleCount));
  const step = (text.length - length) / (sampleCount - 1);
  const pieces = Array.from({ length: sampleCount }, (_, index) => {
    const start = Math.floor(index * step);
    return text.slice(start, start + length);
  });
  return { text: pieces.join(''), scale: text.length / (length * sampleCount) };
}

/**
 * `length` bytes in total, in pieces spread evenly from start to end. A character at a boundary becomes one
 * replacement character.
 */
export function sampleBytes(chunks: readonly Buffer[], length: number): TextSample {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (total <= length) return { text: Buffer.concat(chunks).toString('utf8'), scale: 1 };
  const each = Math.max(1, Math.floor(length / sampleCount));
  const step = (total - each) / (sampleCount - 1);
  const cuts = Array.from({ length: sampleCount }, (_, index) => range(chunks, Math.floor(index * step), each));
  return { text: cuts.join(''), scale: total / (each * sampleCount) };
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

/**
 * Longer texts are counted by a sample of an eighth of this length, in characters, because counting a megabyte of
 * base64 takes one or two seconds, during which the counting thread responds to nothing.
 */
const maxFullCountLength = 1024 * 1024;

/** The text whose tokens are counted: the whole, or a sample of a long one. */
export function textToCount(text: string): TextSample {
  return sampleText(text, text.length > maxFullCountLength ? maxFullCountLength / 8 : maxFullCountLength);
}
