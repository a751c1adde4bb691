/** Reads a text once and hands on its sentences as kinds of words, with what is no word (addresses, paths, names of tools) as words too. */
import type { Lexicon } from './lexicon.ts';
import { bitsOf, type ClassBits } from './word-classes.ts';

/** One sentence, or a part of a very long one. Arrays are longer than `length` and used again for the next. */
export interface Sentence {
  length: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** 1: it stands in quotation marks, as what somebody else says; 2: behind `example:` or `reads:`. */
  readonly quoted: Uint8Array;
  /** All kinds that occur in it. */
  anyLow: number;
  anyHigh: number;
}

/** Words of the longest sentence; what is longer is read in parts that share the last words. */
const most = 160;
const shared = 24;
const mostRuns = 300;
/** A quotation that is longer than this is none. */
const longestQuote = 400;

const ident = bitsOf('IDENT');
const url = bitsOf('URL');
const mail = bitsOf('MAIL');
const path = bitsOf('PATH');
const upper = bitsOf('UPPER');
const colon = bitsOf('COLON');
const start = bitsOf('START');
const example = bitsOf('EXAMPLE');
const shell = bitsOf('SHELL');
const account = bitsOf('ACCOUNT');

// Each is tried at one place only and is bounded, so that all of them together are linear.
const address = /(?:https?|ftp|wss?):\/\/[^\s<>"'`)\]]{1,500}|www\.[\w-]{1,60}\.[^\s<>"'`)\]]{1,300}/iy;
const mailbox = /@[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}/y;
const sensitivePath =
  /(?:(?<!\w)\.(?:(?:ssh|aws|gnupg|kube|netrc|npmrc|pypirc|git-credentials|pgpass|bash_history|zsh_history)\b|env(?:\.(?:local|prod\w*|dev\w*))?(?![\w(])|(?:docker\/config|cursor\/mcp|config\/gcloud)\b)|\/(?:etc\/(?:passwd|shadow|sudoers|hosts)\b|root\/|private(?:_key|\.key)\b|proc\/self\/environ\b)|%(?:APPDATA|USERPROFILE)%)[\w./-]{0,80}/iy;
const shellLine =
  /(?:(?:curl|wget|iwr)\s[^\n|]{1,200}\|\s{0,3}(?:sudo\s)?(?:ba|z|k|)sh\b|\/dev\/tcp\/|\bnc\s+-\w*e|\brm\s+-(?:rf|fr)\b|\bchmod\s(?:\+x|[0-7]{3,4})\s|\bpowershell(?:\.exe)?\s+-(?:e|enc|nop|w)|\bbase64\s+(?:-d|--decode)\b|\b(?:ba|z|)sh\s+-[ic]\b|\beval\s*\$?\(|\bpython3?\s+-c\b|\bcrontab\s+-|\bgit\s+push\s+(?:-f|--force)|\bscp\s+\S+\s+\S+@|\bos\.system\(|\bsubprocess\.)/iy;
const iban = /[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/y;
const coin = /(?:0x[0-9a-fA-F]{40}|bc1[0-9a-z]{25,60})\b/y;

export type OnSentence = (sentence: Sentence) => void;

/** Goes through texts one after the other. Time grows with the length of a text and with nothing else. */
export class SentenceReader {
  readonly #lexicon: Lexicon;
  readonly #sentence: Sentence = {
    length: 0,
    start: new Int32Array(most),
    end: new Int32Array(most),
    low: new Int32Array(most),
    high: new Int32Array(most),
    quoted: new Uint8Array(most),
    anyLow: 0,
    anyHigh: 0,
  };
  #text = '';
  #onSentence: OnSentence = () => undefined;
  /** Where a quotation ends that is being read, and up to where none ends. */
  #quoteEnd = 0;
  #noQuoteUntil = 0;
  #exampleUntilStop = false;
  #isStart = true;
  #longRuns: number[] = [];

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
  }

  /** Returns where runs of letters and digits begin that are no words; at most 300. */
  read(text: string, onSentence: OnSentence): readonly number[] {
    this.#text = text;
    this.#onSentence = onSentence;
    this.#longRuns = [];
    this.#quoteEnd = 0;
    this.#noQuoteUntil = 0;
    this.#begin();
    let at = 0;
    while (at < text.length) at = this.#readAt(at, text.charCodeAt(at));
    this.#finish();
    this.#text = '';
    return this.#longRuns;
  }

  /** Reads what stands at a place and returns where it ends. */
  #readAt(at: number, code: number): number {
    const { columns } = this.#lexicon;
    if (code < columns.length) {
      const column = columns[code] as number;
      if (column !== 0) return this.#word(at);
      if (code === 32) return at + 1;
      return this.#mark(at, code);
    }
    if (code >= 0x3005 && (code < 0xa000 || (code >= 0xac00 && code < 0xd7a4))) return this.#piece(at);
    if (code === 0x3002 || code === 0xff01 || code === 0xff1f) this.#finish();
    else if (code === 0xff1a) this.#colon();
    else if (code === 0x201c || code === 0x300c) this.#quote(at, code === 0x201c ? '”' : '」');
    return at + 1;
  }

  /** A word of letters and digits; with `_` or a capital within it is the name of something. */
  #word(begin: number): number {
    const text = this.#text;
    const { columns, next, low, high, openLow, openHigh } = this.#lexicon;
    const special = this.#special(begin, text.charCodeAt(begin));
    if (special > begin) return special;
    let node = 1;
    let deepest = 1;
    let at = begin;
    let [capitals, letters, isName] = [0, 0, false];
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const column = code < columns.length ? (columns[code] as number) : 0;
      if (column === 0) {
        const following = text.charCodeAt(at + 1);
        const goesOn = following < columns.length && columns[following] !== 0;
        if (code === 95 && goesOn && at > begin) isName = true;
        else if (!((code === 39 || code === 0x2019) && goesOn && isContraction(text, at))) break;
        continue;
      }
      if (code >= 65 && code <= 90) {
        if (letters > capitals && letters > 1) isName = true;
        capitals++;
      }
      letters++;
      if (node === 0) continue;
      node = next[node * 64 + column] as number;
      if (node !== 0) deepest = node;
    }
    let wordLow = (openLow[deepest] as number) | (low[node] as number);
    let wordHigh = (openHigh[deepest] as number) | (high[node] as number);
    if (letters >= 12 && (isName || letters >= 24) && this.#longRuns.length < mostRuns) this.#longRuns.push(begin);
    // All in capitals it is a constant.
    if (isName && letters > capitals) [wordLow, wordHigh] = [ident.low, ident.high];
    if (capitals > 1 && capitals === letters) [wordLow, wordHigh] = [wordLow | upper.low, wordHigh | upper.high];
    this.#add(begin, at, wordLow, wordHigh);
    return at;
  }

  /** Longest piece of a script without spaces. */
  #piece(begin: number): number {
    const { pieces, low, high } = this.#lexicon;
    let [node, end, found] = [1, 0, 0];
    for (let at = begin; at < this.#text.length && at < begin + 12; at++) {
      const following = pieces.get(node * 65536 + this.#text.charCodeAt(at));
      if (following === undefined) break;
      node = following;
      if (low[node] !== 0 || high[node] !== 0) [end, found] = [at + 1, node];
    }
    if (end === 0) return begin + 1;
    this.#add(begin, end, low[found] as number, high[found] as number);
    return end;
  }

  /** Addresses, commands and files with secrets, by how they begin; returns their end, or `at`. */
  #special(at: number, code: number): number {
    const second = this.#text.charCodeAt(at + 1) & 127;
    const kinds = beginnings[((code & 95) << 7) | (second & 95)] as number;
    if (kinds !== 0) {
      if ((kinds & 1) !== 0 && this.#tryAt(address, at, url)) return address.lastIndex;
      if ((kinds & 2) !== 0 && this.#tryAt(shellLine, at, shell)) return shellLine.lastIndex;
      if ((kinds & 4) !== 0 && this.#tryAt(sensitiveFile, at, path)) return sensitiveFile.lastIndex;
    }
    if (code < 91) {
      if (code >= 65 && isDigit(this.#text.charCodeAt(at + 2)) && this.#tryAt(iban, at, account)) return iban.lastIndex;
      if (code === 48 && second === 120 && this.#tryAt(coin, at, account)) return coin.lastIndex;
    } else if (code === 98 && second === 99 && this.#tryAt(coin, at, account)) return coin.lastIndex;
    return at;
  }

  #tryAt(pattern: RegExp, at: number, { low, high }: ClassBits): boolean {
    pattern.lastIndex = at;
    if (!pattern.test(this.#text)) return false;
    this.#add(at, pattern.lastIndex, low, high);
    return true;
  }

  #mark(at: number, code: number): number {
    const text = this.#text;
    switch (code) {
      case 46: // .
      case 47: // /
      case 37: // %
        if (this.#tryAt(sensitivePath, at, path)) return sensitivePath.lastIndex;
        if (code === 47 && this.#tryAt(shellLine, at, shell)) return shellLine.lastIndex;
        if (code === 46 && isBreak(text.charCodeAt(at + 1))) this.#finish();
        return at + 1;
      case 33:
      case 63:
        if (isBreak(text.charCodeAt(at + 1))) this.#finish();
        return at + 1;
      case 59:
        this.#finish();
        return at + 1;
      case 10:
        return this.#newline(at);
      case 58:
        this.#colon();
        return at + 1;
      case 44:
      case 40:
        this.#isStart = true;
        return at + 1;
      case 34:
        this.#quote(at, '"');
        return at + 1;
      case 39:
        if (!isLetterBefore(text, at)) this.#quote(at, "'");
        return at + 1;
      case 96:
        return this.#code(at);
      case 0xab:
        this.#quote(at, '»');
        return at + 1;
      case 64:
        if (isLetterBefore(text, at) && this.#tryAt(mailbox, at, mail)) return mailbox.lastIndex;
        return at + 1;
      default:
        return at + 1;
    }
  }

  /** A line ends a sentence where the next begins a paragraph, an entry of a list, a tag or a heading. */
  #newline(at: number): number {
    let following = at + 1;
    while (following < this.#text.length && isBlank(this.#text.charCodeAt(following))) following++;
    const isGap = this.#text.slice(at + 1, Math.min(following, at + 200)).includes('\n');
    if (isGap || /[-*#<|>•\d[]/.test(this.#text[following] ?? '')) this.#finish();
    this.#isStart = true;
    return following;
  }

  #colon(): void {
    const { length, high, low } = this.#sentence;
    if (length === 0) return;
    low[length - 1] = (low[length - 1] as number) | colon.low;
    high[length - 1] = (high[length - 1] as number) | colon.high;
    this.#sentence.anyLow |= colon.low;
    this.#sentence.anyHigh |= colon.high;
    for (let at = Math.max(0, length - 3); at < length; at++) {
      if (((high[at] as number) & example.high) !== 0 || ((low[at] as number) & example.low) !== 0)
        this.#exampleUntilStop = true;
    }
    this.#isStart = true;
  }

  /** A quotation is what somebody else says; strings of JSON are not. */
  #quote(at: number, closing: string): void {
    this.#isStart = true;
    if (at < this.#quoteEnd || at < this.#noQuoteUntil) return;
    let before = at - 1;
    while (before >= 0 && this.#text.charCodeAt(before) === 32) before--;
    const isValue = before < 0 || '{[,=\n'.includes(this.#text[before] as string) || this.#text[before - 1] === '"';
    if (isValue && closing === '"') return;
    const end = this.#text.slice(at + 1, at + longestQuote).indexOf(closing);
    if (end < 0) this.#noQuoteUntil = at + longestQuote - 1;
    else this.#quoteEnd = at + 1 + end;
  }

  /** `read_file`: a name in backticks. Longer ones are read like the rest. */
  #code(at: number): number {
    const end = this.#text.slice(at + 1, at + 60).search(/[^\w.:-]/);
    if (end > 1 && this.#text[at + 1 + end] === '`') {
      const inside = this.#text.slice(at + 1, at + 1 + end);
      sensitiveFile.lastIndex = 0;
      sensitivePath.lastIndex = 0;
      const { low, high } =
        sensitiveFile.test(inside) || sensitivePath.test(inside) ? path : isValue.test(inside) ? nothing : ident;
      this.#add(at + 1, at + 1 + end, low, high);
      return at + end + 2;
    }
    return at + 1;
  }

  #add(begin: number, end: number, low: number, high: number): void {
    const sentence = this.#sentence;
    if (sentence.length === most) this.#handOn(shared);
    const at = sentence.length++;
    const [first, second] = this.#isStart ? [low | start.low, high | start.high] : [low, high];
    sentence.start[at] = begin;
    sentence.end[at] = end;
    sentence.low[at] = first;
    sentence.high[at] = second;
    sentence.quoted[at] = this.#exampleUntilStop ? 2 : begin < this.#quoteEnd ? 1 : 0;
    sentence.anyLow |= first;
    sentence.anyHigh |= second;
    this.#isStart = false;
  }

  #finish(): void {
    if (this.#sentence.length > 0) this.#handOn(0);
    this.#begin();
  }

  #begin(): void {
    this.#isStart = true;
    this.#exampleUntilStop = false;
  }

  #handOn(keep: number): void {
    const sentence = this.#sentence;
    this.#onSentence(sentence);
    if (keep > 0) {
      const from = sentence.length - keep;
      for (const part of [sentence.start, sentence.end, sentence.low, sentence.high, sentence.quoted]) {
        part.copyWithin(0, from, sentence.length);
      }
    }
    sentence.length = keep;
    sentence.anyLow = 0;
    sentence.anyHigh = 0;
    for (let at = 0; at < keep; at++) {
      sentence.anyLow |= sentence.low[at] as number;
      sentence.anyHigh |= sentence.high[at] as number;
    }
  }
}

const sensitiveFile =
  /(?:id_(?:rsa|ed25519|ecdsa|dsa)|mcp\.json|claude_desktop_config\.json|credentials\.(?:json|csv|ya?ml|txt|db)|secrets?\.(?:json|ya?ml|txt|env|db|key)|wallet\.dat|authorized_keys)\b/iy;

/** By the first two letters: 1 where addresses begin so, 2 for commands, 4 for names of files. */
const beginnings = beginningsOf([
  'ht ft ws ww',
  'cu wg iw nc rm ch po ba sh zs ev py cr gi sc os su',
  'id mc cl cr se wa au',
]);

function beginningsOf(kinds: readonly string[]): Uint8Array {
  const table = new Uint8Array(128 * 128);
  kinds.forEach((pairs, kind) => {
    for (const pair of pairs.split(' ')) {
      const at = ((pair.charCodeAt(0) & 95) << 7) | (pair.charCodeAt(1) & 95);
      table[at] = (table[at] as number) | (1 << kind);
    }
  });
  return table;
}

/** `don't`, `you're`, and not `l'utente`: at most two letters follow. */
function isContraction(text: string, at: number): boolean {
  return !/[\p{L}]{3}/u.test(text.slice(at + 1, at + 4));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** In backticks, what is no name of anything. */
const isValue = /^(?:true|false|null|undefined|none|[\d.]+)$/i;
const nothing: ClassBits = { low: 0, high: 0 };

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Behind the end of a sentence: a blank, a quotation mark, a bracket, the end. */
function isBreak(code: number): boolean {
  return !(code > 32) || code === 34 || code === 39 || code === 41 || code === 93 || code === 60 || code === 0x201d;
}

function isLetterBefore(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1) | 32;
  return (code >= 97 && code <= 122) || isDigit(text.charCodeAt(at - 1));
}
