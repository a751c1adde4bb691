/**
 * Shows texts verbatim to a user who decides on them: characters that are invisible, or affect the display, are
 * marked.
 */
import { isObject } from './json.ts';

/** Control, format and other invisible characters, line breaks, unusual spaces, unassigned characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** `a⟨U+200B⟩b`: other characters stay unchanged. */
export function markInvisible(text: string): string {
  return text.replace(hidden, codePointMarker);
}

/** `⟨U+200B⟩` */
export function codePointMarker(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/**
 * Characters that carry hidden words to a model or reverse text: tags, directions, zero width, variation selectors
 * other than emoji's, controls. Excludes joiners, which languages and emoji need.
 */
const steering =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/**
 * Whether a text contains what an attack may contain and a password does not: invisible characters, or a shell
 * command. Such a text is never masked.
 */
export function isSuspicious(text: string): boolean {
  return text.search(steering) !== -1 || /\$\([^)]*\)/.test(text);
}

/** A result for a model in which such characters of servers are marked. */
export function neutralizeControlCharacters<T>(value: T): T {
  return mapTexts(value, (text) => text.replace(steering, codePointMarker)) as T;
}

/** A copy of a JSON value with every text and key marked. */
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

// Shortens a name that an error repeats, because a model may have sent any length.

const maxNameLength = 120;

export function truncateName(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Truncates a text to a length in UTF-16 units, never inside of a surrogate pair. */
export function truncateText(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
