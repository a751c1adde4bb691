/** Encoded texts inside texts: base64, hex, escapes, ROT13. One layer is decoded. */

export interface Decoded {
  readonly text: string;
  /** The place of the encoded text. */
  readonly start: number;
  readonly end: number;
}

const maxFound = 20;
const maxLength = 4000;

/** The characters that a text must contain, the pattern of the encoded part, and its decoder. */
const codes: readonly (readonly [needed: string, pattern: RegExp, decode: (code: string) => string | undefined])[] = [
  // The word before the first escape belongs to it, as in Ignore%20all.
  ['%', /(?<![\w.,-])[\w.,-]{0,60}(?:%[0-9a-fA-F]{2}[^\s%]{0,40}){4,}/g, fromEscapes],
  ['\\x', /(?:\\x[0-9a-fA-F]{2}){4,}/g, fromHex],
  ['&#', /(?:&#x?[0-9a-fA-F]{1,6};[^&\s]{0,2}){4,}/g, fromEntities],
  ['\\u', /(?:\\u\{?[0-9a-fA-F]{4,6}\}?){4,}/g, fromUnicode],
  ['', /[\w+/-]{16,}={0,2}/g, fromDigits],
];

/** Readable texts that are encoded in a text; at most 20, each up to 4,000 characters. */
export function findEncodedTexts(text: string): Decoded[] {
  const found: Decoded[] = [];
  for (const [needed, pattern, decode] of codes) {
    if (!text.includes(needed)) continue;
    for (const { 0: code, index: start } of text.matchAll(pattern)) {
      const plain = decode(code.slice(0, maxLength));
      if (plain !== undefined && isReadable(plain)) found.push({ text: plain, start, end: start + code.length });
      if (found.length === maxFound) return found;
    }
  }
  return found;
}

/**
 * Decodes hex or base64; undefined for a word or a path, which do not mix capitals, small letters and digits so
 * closely.
 */
function fromDigits(code: string): string | undefined {
  if (/^[0-9a-f]+$/i.test(code)) return fromHex(code);
  if (!/[a-z]/.test(code) || !/[A-Z]/.test(code) || !/[\d+=]/.test(code)) return undefined;
  return Buffer.from(code, 'base64').toString('utf8');
}

function fromHex(code: string): string {
  return Buffer.from(code.replaceAll('\\x', ''), 'hex').toString('utf8');
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

/** Whether bytes are text: valid UTF-8, few control characters, some letters. */
function isReadable(text: string): boolean {
  return text.length >= 8 && !/[\ufffd\u0000-\u0008\u000e-\u001f\u007f-\u009f]/.test(text) && /\p{L}{2}/u.test(text);
}

export function rot13(text: string): string {
  return text.replace(/[a-zA-Z]/g, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}
