/** Words and numbers as a menu can show them. */

const longestLabel = 70;

/** Text of servers and people as one plain row: no control characters, no mnemonics, not wider than a menu. */
export function toLabel(text: string): string {
  const plain = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const characters = [...plain];
  const short = characters.length <= longestLabel ? plain : `${characters.slice(0, longestLabel - 1).join('')}…`;
  // On Windows and Linux a single & underlines what follows.
  return short.replaceAll('&', '&&');
}

/** `184k`, `1.2M`. */
export function toShortNumber(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
    .format(Math.round(value))
    .replace('K', 'k');
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
