/** Texts inside of texts: base64, hex, escapes, letters moved by thirteen. One layer is undone, and what comes out is judged. */

import { tableOf } from '../first-look.ts';

export interface Decoded {
  readonly text: string;
  /** Where it stood. */
  readonly start: number;
  readonly end: number;
  readonly how: string;
}

const most = 20;
const longest = 4000;

const escaped = /(?:%[0-9a-fA-F]{2}[^\s%]{0,40}){4,}/g;
const hexEscapes = /(?:\\x[0-9a-fA-F]{2}){4,}/g;
const entities = /(?:&#x?[0-9a-fA-F]{1,6};[^&\s]{0,2}){4,}/g;
const unicode = /(?:\\u\{?[0-9a-fA-F]{4,6}\}?){4,}/g;

/** Pattern, name, what a text must contain to have it at all, and how it is undone. */
const codes: readonly (readonly [RegExp, string, string, (code: string) => string])[] = [
  [escaped, 'URL escapes', '%', fromEscapes],
  [hexEscapes, 'escapes', '\\x', fromHex],
  [entities, 'HTML entities', '&#', fromEntities],
  [unicode, 'escapes', '\\u', fromUnicode],
];

/**
 * Readable texts that come out; at most 20 of a text, each up to 4,000 characters. `longRuns`: where runs of letters and digits
 * begin that are no words, in their order.
 */
export function decodedTexts(text: string, longRuns: readonly number[]): Decoded[] {
  const found: Decoded[] = [];
  const add = (start: number, end: number, how: string, plain: string | undefined): void => {
    if (plain !== undefined && found.length < most && isReadable(plain)) found.push({ text: plain, start, end, how });
  };
  for (const [pattern, how, needed, decode] of codes) {
    if (!text.includes(needed)) continue;
    for (const { 0: run, index: begin } of text.matchAll(pattern)) {
      // The word before the first escape belongs to it: Ignore%20all.
      const start = how === 'URL escapes' ? wordStart(text, begin) : begin;
      const end = begin + run.length;
      add(start, end, how, decode(text.slice(start, Math.min(end, start + longest))));
      if (found.length === most) break;
    }
  }
  let done = 0;
  for (const run of longRuns) {
    if (run < done) continue;
    const [start, end] = runAround(text, run, done);
    done = end;
    const code = text.slice(start, Math.min(end, start + longest));
    if (/^[0-9a-f]+$/i.test(code)) add(start, end, 'hex', fromHex(code));
    else add(start, end, 'base64', fromBase64(code));
  }
  return found;
}

const ofRun = tableOf(/[\w+/-]/);

/** From where to where characters of base64 stand. */
function runAround(text: string, at: number, from: number): [start: number, end: number] {
  let [start, end] = [at, at];
  while (start > from && ofRun[text.charCodeAt(start - 1)] === 1) start--;
  while (end < text.length && ofRun[text.charCodeAt(end)] === 1) end++;
  while (text[end] === '=') end++;
  return [start, end];
}

function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 60 && /\S/.test(text[start - 1] as string)) start--;
  return start;
}

/** Undefined for what is a word or a path: these have no capitals, small letters and digits so near to each other. */
function fromBase64(code: string): string | undefined {
  if (!/[a-z]/.test(code) || !/[A-Z]/.test(code) || !/[\d+=]/.test(code)) return undefined;
  return Buffer.from(code, 'base64').toString('utf8');
}

function fromHex(code: string): string {
  const digits = code.replaceAll('\\x', '');
  return Buffer.from(digits, 'hex').toString('utf8');
}

function fromEscapes(code: string): string {
  return code
    .replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
    .replaceAll('+', ' ');
}

function fromEntities(code: string): string {
  return code.replace(/&#(x?)([0-9a-fA-F]{1,6});/g, (_, isHex: string, digits: string) =>
    character(Number.parseInt(digits, isHex === '' ? 10 : 16)),
  );
}

function fromUnicode(code: string): string {
  return code.replace(/\\u\{?([0-9a-fA-F]{4,6})\}?/g, (_, digits: string) => character(Number.parseInt(digits, 16)));
}

function character(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Text and no bytes: nothing that UTF-8 does not have, few controls, some letters. */
function isReadable(text: string): boolean {
  return text.length >= 8 && !/[\ufffd\u0000-\u0008\u000e-\u001f\u007f-\u009f]/.test(text) && /\p{L}{2}/u.test(text);
}

export function rot13(text: string): string {
  return text.replace(/[a-zA-Z]/g, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}
