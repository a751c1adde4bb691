/** Decodes a text: removes one layer of base64, hex, URL and JSON escapes, and normalizes spelled-out addresses. */
import { hasRun, characterTable } from '../text-prefilter.ts';

/** Runs that may be an encoding. */
const base64 = /[A-Za-z0-9+/_-]{16,}/g;
const hex = /(?:[0-9a-fA-F]{2}){8,}/g;
const escapes = /(?:%[0-9a-fA-F]{2})+/g;
const jsonEscape = /\\u([0-9a-fA-F]{4})/g;
const entity = /&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));/g;

const ofRun = characterTable(/[\w+/-]/);

/** Maximum length of a text, in characters; the rest is not decoded. */
const maxDecodedLength = 1_000_000;

/** Texts found below one layer, without those that are not text. Takes linear time. */
export function decodeOneLayer(whole: string): readonly string[] {
  if (!mayBeEncoded(whole)) return [];
  const text = whole.slice(0, maxDecodedLength);
  return [
    ...(text.match(base64) ?? []).map((run) => textIn(Buffer.from(run, 'base64'))),
    ...(text.match(hex) ?? []).map((run) => textIn(Buffer.from(run, 'hex'))),
    text.includes('%')
      ? text.replace(escapes, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
      : undefined,
    text.includes('\\u')
      ? text.replace(jsonEscape, (_all, code: string) => String.fromCharCode(parseInt(code, 16)))
      : undefined,
    text.includes('&#') ? text.replace(entity, readEntity) : undefined,
    ...spelledOut(text),
  ].filter((one) => one !== undefined);
}

/** One test for what all decoders need, because most texts contain none of it. */
export function mayBeEncoded(text: string): boolean {
  if (text.includes('%') || text.includes('\\u') || text.includes('&#')) return true;
  return hasRun(text, ofRun, 16) || hasSpelledAt(text);
}

/** "at" in any case, with only white space or brackets on both sides. */
function hasSpelledAt(text: string): boolean {
  for (let at = 1; at + 2 < text.length; at++) {
    const isAt = (text.charCodeAt(at) | 0x20) === 0x61 && (text.charCodeAt(at + 1) | 0x20) === 0x74;
    if (isAt && !/[\w@.]/.test(text[at - 1] as string) && !/[\w@.]/.test(text[at + 2] as string)) return true;
  }
  return false;
}

/** Printable ASCII and line breaks; letters of Latin, Greek, Cyrillic, Kana, and Han. */
function isReadable(code: number): boolean {
  if (code < 0x80) return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d || code === 0x09;
  if (code < 0x500) return (code >= 0xa0 && code < 0x250) || code >= 0x370;
  return (code >= 0x3040 && code < 0x3100) || (code >= 0x4e00 && code < 0xa000);
}

/** Returns the bytes as text if nearly all of it is readable; random bytes are not. */
function textIn(bytes: Buffer): string | undefined {
  if (bytes.length < 6) return undefined;
  const text = bytes.toString('utf8');
  const most = text.length / 20;
  for (let at = 0, odd = 0; at < text.length; at++) {
    if (!isReadable(text.charCodeAt(at)) && ++odd > most) return undefined;
  }
  return text;
}

function readEntity(all: string, hexDigits: string | undefined, digits: string | undefined): string {
  const code = hexDigits === undefined ? Number(digits) : parseInt(hexDigits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : all;
}

// `user at evil dot example`, `user [at] evil (dot) example`.

const signs = /\(at\)|\[at\]|\{at\}|\sat\s/gi;
const userBefore = /[\w.+-]{1,64}\s{0,3}$/;
const hostBehind = /^\s{0,3}[\w-]{1,63}(?:\s{0,3}(?:\(dot\)|\[dot\]|\{dot\}|\sdot\s|\.)\s{0,3}[\w-]{1,63}){1,5}/i;
const dots = /\s{0,3}(?:\(dot\)|\[dot\]|\{dot\}|\sdot\s)\s{0,3}/gi;

function spelledOut(text: string): string[] {
  return [...text.matchAll(signs)].flatMap(({ 0: sign, index }) => {
    const user = userBefore.exec(text.slice(Math.max(0, index - 70), index))?.[0].trim();
    const host = hostBehind.exec(text.slice(index + sign.length, index + sign.length + 300))?.[0].trim();
    if (user === undefined || host === undefined) return [];
    // "at" is common in sentences, so it needs a spelled dot next to it.
    const spelled = host.replace(dots, '.');
    return sign.trim() === sign || spelled !== host ? [`${user}@${spelled.replace(/\s+/g, '')}`] : [];
  });
}
