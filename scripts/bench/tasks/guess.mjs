/**
 * Arguments as somebody writes them who was not shown what they are made of and does not know the server: of
 * `entityType` the plain word `type`, and what cannot be guessed is left out.
 */

/** `isShown` says whether a name was shown. Names of one word are guessed rightly but for lists inside of lists. */
export function guessed(value, isShown, depth = 0) {
  if (Array.isArray(value)) return value.map((one) => guessed(one, isShown, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    if (isShown(key)) return [[key, guessed(inner, isShown, depth + 1)]];
    if (depth > 0 && Array.isArray(inner)) return [];
    return [[lastWord(key), guessed(inner, isShown, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function lastWord(key) {
  return (/[A-Z][a-z]*$/.exec(key)?.[0] ?? key).toLowerCase();
}
