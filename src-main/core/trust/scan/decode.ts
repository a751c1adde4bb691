/** Texts inside of texts: base64, hex, escapes, letters moved by thirteen. One layer is undone, and what comes out is judged. */

export interface Decoded {
  readonly text: string;
  /** Where it stood. */
  readonly start: number;
  readonly end: number;
  readonly how: string;
}

const most = 20;
const longest = 4000;

const base64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const hex = /(?:\\x)?(?:[0-9a-fA-F]{2}(?:\\x|[ :])?){12,}/g;
const escaped = /[^\s]*(?:%[0-9a-fA-F]{2}[^\s%]{0,20}){4}[^\s]*/g;
const entities = /(?:&#x?[0-9a-fA-F]{1,6};[^&\s]{0,2}){4,}/g;
const unicode = /(?:\\u\{?[0-9a-fA-F]{4,6}\}?){4,}/g;

/** Readable texts that come out; at most 20 of a text, each up to 4,000 characters. */
export function decodedTexts(text: string): Decoded[] {
  const found: Decoded[] = [];
  for (const [pattern, how, decode] of codes) {
    for (const { 0: code, index } of text.matchAll(pattern)) {
      if (found.length === most) return found;
      const plain = decode(code.slice(0, longest));
      if (plain !== undefined && isReadable(plain)) {
        found.push({ text: plain, start: index, end: index + code.length, how });
      }
    }
  }
  return found;
}

const codes: readonly (readonly [RegExp, string, (code: string) => string | undefined])[] = [
  [base64, 'base64', fromBase64],
  [hex, 'hex', fromHex],
  [escaped, 'URL escapes', fromEscapes],
  [entities, 'HTML entities', fromEntities],
  [unicode, 'escapes', fromUnicode],
];

function fromBase64(code: string): string | undefined {
  // A word or a path has no capitals, small letters and digits so near to each other.
  if (!/[a-z]/.test(code) || !/[A-Z]/.test(code) || !/[\d+=]/.test(code)) return undefined;
  return Buffer.from(code, 'base64').toString('utf8');
}

function fromHex(code: string): string | undefined {
  const digits = code.replace(/\\x|[ :]/g, '');
  return Buffer.from(digits, 'hex').toString('utf8');
}

function fromEscapes(code: string): string | undefined {
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
