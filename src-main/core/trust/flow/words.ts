/**
 * Reads the words of a text as hashes, in one pass and without making a string of each. A word holds letters, digits and what
 * stands inside of addresses and hosts (`. _ % + @ -`); case, width and invisible characters do not count. Hashes have 32 bits with a
 * sign: without one, every second would be an object of its own.
 */
import { isAscii } from '../first-look.ts';

/** What is told of each word and of what stands alone. */
export interface WordReader {
  /** Longer than two characters. `isCode`: so many digits in one piece that it means something by itself. */
  word(hash: number, isCode: boolean): void;
  /** A value of up to six words between quotes, ends of lines, or after a colon. */
  value?(hash: number): void;
}

const basis = 0x811c9dc5 | 0;
const prime = 0x01000193;

// What a character is: numbers, because each character of each answer is asked.
const between = 0;
const letter = 1;
const digit = 2;
/** Part of a word only between letters and digits. */
const inner = 3;
/** Ends a value. */
const end = 4;

const shortestWord = 3;
const mostValueWords = 6;
/** A code has so many digits, and nothing that splits it, as dates and versions have. */
const codeDigits = 5;

export function readWords(text: string, reader: WordReader): void {
  const plain = plainText(text);
  let [start, hash, goodHash, goodEnd, digits] = [-1, basis, basis, 0, 0];
  // The last point or at sign is no address's where the word ends with it.
  let [joint, hasInside] = [0, false];
  let [value, valueWords] = [basis, 0];
  for (let index = 0; index <= plain.length; index++) {
    const code = index < plain.length ? plain.charCodeAt(index) : lineFeed;
    const kind = kindOf(code);
    if (kind === letter || kind === digit || (kind === inner && start >= 0)) {
      if (start < 0) {
        start = index;
        hash = basis;
        digits = joint = 0;
        hasInside = false;
      }
      hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), prime);
      if (kind === inner) {
        if (code === atSign || code === dot) joint = index;
      } else {
        goodHash = hash;
        goodEnd = index + 1;
        if (joint > 0) hasInside = true;
        if (kind === digit) digits++;
      }
      continue;
    }
    if (start >= 0) {
      tellWord(plain, start, goodEnd, goodHash, digits, hasInside && digits < goodEnd - start - 2, reader);
      value = Math.imul(value ^ goodHash, prime);
      valueWords++;
      start = -1;
    }
    if (kind !== end || plain.charCodeAt(index - 1) === backslash) continue;
    if (valueWords > 0 && valueWords <= mostValueWords) reader.value?.(value);
    [value, valueWords] = [basis, 0];
  }
}

function tellWord(
  text: string,
  start: number,
  stop: number,
  hash: number,
  digits: number,
  isAddress: boolean,
  reader: WordReader,
): void {
  if (stop - start < shortestWord) return;
  reader.word(hash, digits >= codeDigits && !/[.@%-]/.test(text.slice(start, stop)));
  // `\n` of JSON inside of a text: the letter is no part of the word, or it is.
  const isEscaped = text.charCodeAt(start - 1) === backslash && stop - start > shortestWord;
  if (isEscaped) reader.word(hashOf(text.slice(start + 1, stop)), false);
  if (isAddress) tellParts(text.slice(isEscaped ? start + 1 : start, Math.min(stop, start + longestAddress)), reader);
}

/** `mail.a@evil.example.Then` hides `a@evil.example`: what stands between any two joints is a word, too. */
function tellParts(word: string, reader: WordReader): void {
  const starts = [0];
  const stops: number[] = [];
  for (let at = 0; at < word.length && stops.length < mostJoints; at++) {
    if (kindOf(word.charCodeAt(at)) !== inner) continue;
    stops.push(at);
    while (kindOf(word.charCodeAt(at + 1)) === inner) at++;
    starts.push(at + 1);
  }
  stops.push(word.length);
  for (const from of starts) {
    for (const to of stops) {
      const isWhole = from === 0 && to === word.length;
      if (!isWhole && to - from >= shortestWord && /[.@]/.test(word.slice(from, to)))
        reader.word(hashOf(word.slice(from, to)), false);
    }
  }
  const at = word.indexOf('@');
  if (at >= shortestWord) reader.word(hashOf(word.slice(0, at)), false);
}

const longestAddress = 320;
const mostJoints = 8;

/** As `readWords` tells a word that is spelled so. */
export function hashOf(word: string): number {
  let hash = basis;
  const plain = plainText(word);
  for (let index = 0; index < plain.length; index++) {
    const code = plain.charCodeAt(index);
    hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), prime);
  }
  return hash;
}

/** As `readWords` tells a value of these words; undefined for what is none. */
export function valueHashOf(text: string): number | undefined {
  let found: number | undefined;
  let count = 0;
  readWords(text, {
    word: () => undefined,
    value: (hash) => {
      found = hash;
      count++;
    },
  });
  return count === 1 ? found : undefined;
}

/** One hash of two, in their order. */
export function mixed(one: number, other: number): number {
  const first = Math.imul(basis ^ one, prime) ^ (basis >>> 15);
  return Math.imul(first ^ other, prime) ^ (first >>> 15);
}

const lineFeed = 10;
const backslash = 92;
const atSign = 64;
const dot = 46;

/** Marks and invisible characters that are put between letters so that an address is not found. */
const invisible =
  /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f]|\udb40[\udc00-\uddef]/g;

function plainText(text: string): string {
  return isAscii(text) ? text : text.replace(invisible, '').normalize('NFKC').toLowerCase();
}

/** Each character of each answer is asked. */
function kindOf(code: number): number {
  return code < 128 ? (asciiKinds[code] as number) : isSpaceOrMark(code) ? between : letter;
}

function asciiKind(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return letter;
  if (code >= 48 && code <= 57) return digit;
  switch (code) {
    case 0x25: // %
    case 0x2b: // +
    case 0x2d: // -
    case 0x2e: // .
    case atSign:
    case 0x5f: // _
      return inner;
    case 0x09:
    case lineFeed:
    case 0x0d:
    case 0x22: // "
    case 0x3a: // :
    case 0x5b: // [
    case 0x5d: // ]
    case 0x7b: // {
    case 0x7d: // }
      return end;
    default:
      return between;
  }
}

/** Latin-1 marks, general punctuation, spaces and marks of East Asian texts. */
function isSpaceOrMark(code: number): boolean {
  return code < 0xc0 || (code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f) || code === 0xd7;
}

const asciiKinds = Uint8Array.from({ length: 128 }, (_one, code) => asciiKind(code));
