/**
 * What a text must hold before a pattern can find anything in it. Most arguments hold none of it, and a pattern that is run once in
 * a while costs several µs; these are loops of a few ns a character.
 */

/** Latin letters, digits and these. */
export type RunOf = Uint8Array;

export function runOf(besides: string): RunOf {
  return Uint8Array.from({ length: 128 }, (_one, code) => {
    const sign = String.fromCharCode(code);
    return Number(/[A-Za-z0-9]/.test(sign) || besides.includes(sign));
  });
}

/** So many of them in a row. Looked at from where the row would end: where it breaks, all before need not be looked at. */
export function hasRun(text: string, of: RunOf, length: number): boolean {
  for (let start = 0; start + length <= text.length;) {
    let last = start + length - 1;
    while (last >= start && of[text.charCodeAt(last)] === 1) last--;
    if (last < start) return true;
    start = last + 1;
  }
  return false;
}

/** So many digits, wherever they stand. */
export function hasDigits(text: string, many: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count < many; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) count++;
  }
  return count >= many;
}

/** A scheme, or `www.` in small or capital letters. */
export function hasSite(text: string): boolean {
  if (text.includes('://')) return true;
  for (let dot = text.indexOf('.', 3); dot >= 0; dot = text.indexOf('.', dot + 1)) {
    if (isW(text, dot - 1) && isW(text, dot - 2) && isW(text, dot - 3)) return true;
  }
  return false;
}

function isW(text: string, at: number): boolean {
  return (text.charCodeAt(at) | 0x20) === 0x77;
}
