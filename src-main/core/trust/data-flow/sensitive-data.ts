/** Finds sensitive data by shape and checksum: API keys, private keys, card numbers. */
import { isPrefixedKey, prefixedKeyPattern, privateKeyPattern } from '../../base/secret-patterns.ts';
import { hasDigits, hasRun, characterTable } from '../text-prefilter.ts';
import { maskPlaceholder } from '../../base/mask.ts';

export type SensitiveKind = 'key' | 'private key' | 'card';

export const sensitiveLabels = {
  key: 'what looks like a key',
  'private key': 'a private key',
  card: 'a card number',
} as const satisfies Record<SensitiveKind, string>;

export interface SensitiveMatch {
  readonly kind: SensitiveKind;
  readonly text: string;
}

/** 13 to 19 digits, with single spaces or hyphens between them. */
const digits = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-]?\d)/g;

/** Prefixes and lengths of card issuers. */
const issuers =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14})$/;

/** Characters of prefixed keys, and the length of the shortest one (Slack's). */
const ofKeys = characterTable(/[\w.-]/);
const minKeyLength = 13;

/** Matches in order, verbatim. Takes linear time. */
export function findSensitive(text: string): readonly SensitiveMatch[] {
  const found: SensitiveMatch[] = [];
  const mayBeKey = hasRun(text, ofKeys, minKeyLength);
  const mayBeCard = hasDigits(text, 13);
  if (text.includes('-----BEGIN'))
    for (const key of text.match(privateKeyPattern) ?? []) found.push({ kind: 'private key', text: key });
  if (mayBeKey)
    for (const key of text.match(prefixedKeyPattern) ?? [])
      if (isPrefixedKey(key)) found.push({ kind: 'key', text: key });
  if (mayBeCard)
    for (const card of text.match(digits) ?? []) if (isCard(card)) found.push({ kind: 'card', text: card });
  return found;
}

/** The text with `***` in place of each match. */
export function redactSensitive(text: string): string {
  return findSensitive(text).reduce((masked, { text: found }) => masked.replaceAll(found, maskPlaceholder), text);
}

function isCard(written: string): boolean {
  const number = written.replace(/[ -]/g, '');
  return issuers.test(number) && luhn(number) && new Set(number).size > 1;
}

/** ISO/IEC 7812-1, annex B. */
function luhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
