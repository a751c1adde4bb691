/** Initials and a color for an app, because logos belong to their owners. Pure. */

/** Colors of `components/Monogram.svelte`. */
export const tiles = ['tint', 'accent', 'ink', 'track'] as const;

export interface Monogram {
  readonly letters: string;
  readonly tile: (typeof tiles)[number];
}

/**
 * Initials of the first and last word, or the first two letters of a single one; the color depends on the name only.
 */
export function monogramOf(name: string): Monogram {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = '', last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  const letters = last === undefined ? [...first].slice(0, 2) : [...[...first].slice(0, 1), ...[...last].slice(0, 1)];
  const sum = [...name].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  const [big = '', small = ''] = letters;
  const text = last === undefined ? big.toUpperCase() + small.toLowerCase() : (big + small).toUpperCase();
  return { letters: text || '?', tile: tiles[sum % tiles.length] ?? 'tint' };
}
