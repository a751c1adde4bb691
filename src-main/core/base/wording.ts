/** How things are told in words: numbers with their nouns, sizes, and the word that was probably meant. The page has its own (`lib/format.ts`). */

/** `1 server`, `2 servers`. */
export function count(number: number, noun: string): string {
  return `${number} ${nouns(number, noun)}`;
}

/** The noun for so many, where the number is written in another way: `1.2k ${nouns(1200, 'token')}`. */
export function nouns(number: number, noun: string): string {
  return number === 1 ? noun : `${noun}s`;
}

/** `12 345`: for models and terminals of any language. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** `412 bytes`, `18.4 kB`, `415 kB`: in decimal units, as file managers show them. To the letter as the page has it, so that one answer has one size. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  const power = Math.min(4, Math.floor(Math.log10(bytes * 1.0005) / 3));
  const size = bytes / 1000 ** power;
  const digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return `${Number(size.toFixed(digits))} ${['bytes', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** How long something took, given in ms: `8 ms`, `1.2 s`, `3 min 5 s`. To the letter as the page has it. */
export function durationInWords(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Whether a text holds every word of what a person typed, whatever their case and order. */
export function hasEveryWord(typed: string): (text: string) => boolean {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

/** The closest of `words` by edits (case, `-` and `_` do not count), or undefined when none is close. */
export function closestWord(word: string, words: Iterable<string>): string | undefined {
  const wanted = plain(word);
  let best: { word: string; distance: number } | undefined;
  for (const candidate of words) {
    const distance = editDistance(wanted, plain(candidate));
    if (best === undefined || distance < best.distance) best = { word: candidate, distance };
  }
  const limit = Math.min(2, Math.floor(wanted.length / 2.5));
  return best !== undefined && best.distance <= limit ? best.word : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = at(above, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(above, j) + 1, at(row, j - 1) + 1, change, swapped ? at(before, j - 2) + 1 : Infinity));
    }
    [before, above] = [above, row];
  }
  return at(above, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
