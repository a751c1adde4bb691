/** Counts the o200k_base tokens of a text in bounded time, even for one long run of characters. */
import { countTokens as countPiece } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer takes quadratic time in the length of one "word": 200,000 times `a` took two minutes. */
const maxWordLength = 2000;

/** Treats `<|endoftext|>` and similar texts as plain text. */
const asPlainText = { disallowedSpecial: new Set<string>() };

/** The number of o200k_base tokens; exact unless the text has a word of over 2,000 characters, which is split. */
export function countTokens(text: string): number {
  let tokens = 0;
  let done = 0;
  for (const cut of cuts(text)) {
    tokens += countPiece(text.slice(done, cut), asPlainText);
    done = cut;
  }
  return tokens + countPiece(done === 0 ? text : text.slice(done), asPlainText);
}

/** Returns the positions at which overlong words are split. */
function cuts(text: string): number[] {
  return crudeRuns(text).flatMap(([start, end]) => {
    // Texts beyond ASCII look like one run to the quick scan, so they are examined closely.
    const words = text.slice(start, end).matchAll(/[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{N}]+/gu);
    return [...words].flatMap((word) => cutsWithin(text, start + word.index, word[0].length));
  });
}

function cutsWithin(text: string, start: number, length: number): number[] {
  const found: number[] = [];
  for (let at = start + maxWordLength; at < start + length; at += maxWordLength) {
    const splitsPair = /[\uDC00-\uDFFF]/.test(text[at] ?? '');
    found.push(splitsPair ? at - 1 : at);
  }
  return found;
}

/** Runs of more than 2,000 characters of one kind; characters beyond ASCII belong to any kind. */
function crudeRuns(text: string): [number, number][] {
  const runs: [number, number][] = [];
  let start = 0;
  let kind = other;
  for (let at = 0; at < text.length; at++) {
    const here = kindOf(text.charCodeAt(at));
    if (here === kind || here === other) continue;
    if (kind !== other) {
      if (at - start > maxWordLength) runs.push([start, at]);
      start = at;
    }
    kind = here;
  }
  if (text.length - start > maxWordLength) runs.push([start, text.length]);
  return runs;
}

const other = 0;
const letter = 1;
const digit = 2;
const space = 3;
const mark = 4;

function kindOf(code: number): number {
  if (code > 127) return other;
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return letter;
  if (code >= 48 && code <= 57) return digit;
  return code === 32 || (code >= 9 && code <= 13) ? space : mark;
}
