/** Texts shown verbatim to a person who decides on them: what cannot be seen, or steers what is seen, stands there as a mark. */
import { isObject } from './json.ts';

/** Control, format and other invisible characters, line breaks, spaces that are no plain space, what no text has. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** `a⟨U+200B⟩b`: everything else is as it was. */
export function markHidden(text: string): string {
  return text.replace(
    hidden,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** A copy of a JSON value, every text and key in it marked. */
export function markHiddenIn(value: unknown): unknown {
  if (typeof value === 'string') return markHidden(value);
  if (Array.isArray(value)) return value.map(markHiddenIn);
  if (!isObject(value)) return value;
  // fromEntries defines each key, so that `__proto__` stays an ordinary one.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [markHidden(key), markHiddenIn(item)]));
}
