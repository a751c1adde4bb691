/**
 * Fast prefilters for patterns: a text that fails one cannot match. Most texts fail, and a rarely run pattern costs
 * several µs; these loops take a few ns a character.
 */

/** 1 for each matching ASCII character. */
export type CharacterTable = Uint8Array;

/** `one`: a pattern that matches one character. */
export function characterTable(one: RegExp): CharacterTable {
  return Uint8Array.from({ length: 128 }, (_zero, code) => Number(one.test(String.fromCharCode(code))));
}

/**
 * Whether the text has a run of `length` such characters. Starts at the possible end of a run, so that characters
 * before a break are skipped.
 */
export function hasRun(text: string, of: CharacterTable, length: number): boolean {
  for (let start = 0; start + length <= text.length;) {
    let last = start + length - 1;
    while (last >= start && of[text.charCodeAt(last)] === 1) last--;
    if (last < start) return true;
    start = last + 1;
  }
  return false;
}

/** Returns whether the text contains at least this number of digits. */
export function hasDigits(text: string, many: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count < many; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) count++;
  }
  return count >= many;
}

/**
 * Most texts are ASCII: they have one spelling, and patterns without letters of other scripts find the same in them.
 */
export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** A scheme, or `www.` in any case. */
export function mayContainUrl(text: string): boolean {
  if (text.includes('://')) return true;
  for (let dot = text.indexOf('.', 3); dot >= 0; dot = text.indexOf('.', dot + 1)) {
    if (isW(text, dot - 1) && isW(text, dot - 2) && isW(text, dot - 3)) return true;
  }
  return false;
}

function isW(text: string, at: number): boolean {
  return (text.charCodeAt(at) | 0x20) === 0x77;
}
