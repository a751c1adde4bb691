/** The JSON object that a text begins with, whatever comes after it. */
export function jsonFrom(text) {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isText && letter === '\\') at++;
    else if (letter === '"') isText = !isText;
    else if (!isText && letter === '{') depth++;
    else if (!isText && letter === '}' && --depth === 0) return parsed(text.slice(0, at + 1));
  }
  return undefined;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
