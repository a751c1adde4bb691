/** Pieces of a huge text that stand for the whole of it. */

export interface TextSample {
  readonly texts: readonly string[];
  /** What a count over the pieces is multiplied by to speak of the whole text. */
  readonly scale: number;
}

const pieces = 32;

/** The text itself up to `longest` characters, else pieces of that length in all, spread evenly from first to last. */
export function sampleText(text: string, longest: number): TextSample {
  if (text.length <= longest) return { texts: [text], scale: 1 };
  const length = Math.max(1, Math.floor(longest / pieces));
  const step = (text.length - length) / (pieces - 1);
  const texts = Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor(index * step);
    return text.slice(start, start + length);
  });
  return { texts, scale: text.length / (length * pieces) };
}
