/** Text from servers on its way to a terminal: shown, never obeyed. */
import { stripVTControlCharacters } from 'node:util';

/** Control characters but line feed and tab, and the marks that turn the direction of writing (CVE-2021-42574). */
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text without anything that could steer a terminal; lines stay lines. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(steering, '');
}

/** The text on one line. */
export function oneLine(text: string): string {
  return plainText(text.replace(/[\r\u2028\u2029]/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}
