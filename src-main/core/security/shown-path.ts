/** A file name as it may be shown to a model or a person: on one line, nothing invisible in it. */

/** Control, format (bidirectional too) and line-breaking characters, which could fake other lines of an answer. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu;

/** The path with every invisible character spelled out, cut after 1,000 characters. */
export function shownPath(path: string): string {
  const cut = path.length > 1000 ? `${path.slice(0, 1000)}…` : path;
  return cut.replace(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
