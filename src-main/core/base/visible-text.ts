/**
 * Texts shown verbatim to a user who decides on them: what cannot be seen, or steers what is seen, stands there as a
 * mark.
 */
import { isObject } from './json.ts';

/** Control, format and other invisible characters, line breaks, spaces that are no plain space, what no text has. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** `a⟨U+200B⟩b`: everything else is as it was. */
export function markInvisible(text: string): string {
  return text.replace(hidden, codePointMarker);
}

/** `⟨U+200B⟩` */
export function codePointMarker(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/**
 * Characters that carry hidden words to a model or reverse text: tags, directions, zero width, selectors other than
 * emoji's, controls. Excludes joiners, which languages and emoji need.
 */
const steering =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/**
 * Whether a text holds what no password does, but an attack might: characters that nobody sees, or a command of a
 * shell. It is never hidden.
 */
export function isSuspicious(text: string): boolean {
  return text.search(steering) !== -1 || /\$\([^)]*\)/.test(text);
}

/** An answer of Tooltray for a model, in which such characters of servers stand as marks: data, and seen as such. */
export function neutralizeControlCharacters<T>(value: T): T {
  return mapTexts(value, (text) => text.replace(steering, codePointMarker)) as T;
}

/** A copy of a JSON value, every text and key in it marked. */
export function markInvisibleInJson(value: unknown): unknown {
  return mapTexts(value, markInvisible);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isObject(value)) return value;
  // fromEntries defines each key, so that `__proto__` stays an ordinary one.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)]));
}

// A name as an error repeats it: what a model wrote can be of any length, and it has read it already.

const maxNameLength = 120;

export function truncateName(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A text cut to a length in UTF-16 units, without ending in half a character. */
export function truncateText(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
