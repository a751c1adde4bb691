/**
 * How deep JSON may be nested. JSON.parse takes any depth, but JSON.stringify, a reviver and whatever else walks a value
 * by recursion end with the stack, from about a thousand levels on. Real documents stay below a hundred.
 */

export const maxNesting = 500;

const quote = 0x22;
const backslash = 0x5c;

/** Whether lists and objects lie deeper in each other than `maxNesting`. Nearly free for texts with fewer brackets than that. */
export function isNestedTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === quote) at = endOfString(text, at);
    else if (letter === 0x5b || letter === 0x7b) {
      if (++depth > maxNesting) return true;
    } else if (letter === 0x5d || letter === 0x7d) depth--;
  }
  return false;
}

function hasManyBrackets(text: string): boolean {
  // Each level takes two.
  if (text.length <= 2 * maxNesting) return false;
  let count = 0;
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > maxNesting) return true;
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
