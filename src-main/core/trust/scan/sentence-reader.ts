/** Splits a text into sentences of classified words. Addresses, paths, commands and names of tools count as words. */
import type { Kinds, Lexicon } from './lexicon.ts';
import type { WordKind } from './word-kinds.ts';

export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kinds: Kinds;
  /** Whether it is quoted or given as an example. */
  readonly quoted: boolean;
}

/** A sentence, or a part of a very long one. */
export interface Sentence {
  readonly tokens: readonly Token[];
  /** All kinds of words in the sentence. */
  readonly kinds: ReadonlySet<WordKind>;
}

/** A longer sentence is split into overlapping parts. */
const maxTokens = 160;
const sharedTokens = 24;

/** Words, characters of scripts without spaces, names in backticks, and punctuation. */
const tokenPattern =
  /([[\p{L}\p{N}\p{M}_]--[\u3005-\u9fff\uac00-\ud7a3]]+(?:['’]\p{L}{1,2}(?!\p{L}))?)|([\u3005-\u9fff\uac00-\ud7a3])|(`[\w.:\-]{2,60}`)|[.!?\/%@;:：。！？,\("“「«']|\n\s*/gv;

/**
 * Texts that count as one word, such as addresses and paths. Each pattern is anchored and bounded, so that reading
 * takes linear time.
 */
const specials: readonly (readonly [WordKind, RegExp])[] = [
  ['URL', /(?:https?|ftp|wss?):\/\/[^\s<>"'`)\]]{1,500}|www\.[\w-]{1,60}\.[^\s<>"'`)\]]{1,300}/iy],
  [
    'SHELL',
    /(?:curl|wget|iwr)\s[^\n|]{1,200}\|\s{0,3}(?:sudo\s)?(?:ba|z|k|)sh\b|\/dev\/tcp\/|nc\s+-\w*e|rm\s+-(?:rf|fr)\b|chmod\s(?:\+x|[0-7]{3,4})\s|crontab\s+-|eval\s*\$?\(|powershell(?:\.exe)?\s+-(?:e|enc|nop|w)|base64\s+(?:-d|--decode)\b|(?:ba|z|)sh\s+-[ic]\b|python3?\s+-c\b|git\s+push\s+(?:-f|--force)|scp\s+\S{1,100}\s+\S{1,100}@|os\.system\(|subprocess\./iy,
  ],
  [
    'PATH',
    /(?<!\w)\.(?:(?:ssh|aws|gnupg|kube|netrc|npmrc|pypirc|git-credentials|pgpass|bash_history|zsh_history)\b|env(?:\.(?:local|prod\w*|dev\w*))?(?![\w(])|(?:docker\/config|cursor\/mcp|config\/gcloud)\b)[\w./-]{0,80}|\/(?:etc\/(?:passwd|shadow|sudoers|hosts)\b|root\/|private(?:_key|\.key)\b|proc\/self\/environ\b)[\w./-]{0,80}|%(?:APPDATA|USERPROFILE)%|(?:id_(?:rsa|ed25519|ecdsa|dsa)|mcp\.json|claude_desktop_config\.json|credentials\.(?:json|csv|ya?ml|txt|db)|secrets?\.(?:json|ya?ml|txt|env|db|key)|wallet\.dat|authorized_keys)\b/iy,
  ],
  ['ACCOUNT', /[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|(?:0x[0-9a-fA-F]{40}|bc1[0-9a-z]{25,60})\b/y],
  ['MAIL', /(?<=\w)@[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}/y],
];
/** Words and marks at which such a text begins. */
const specialStart =
  /^(?:[./%@]|https?|ftp|wss?|www|curl|wget|iwr|nc|rm|chmod|crontab|eval|powershell|base64|(?:ba|z|)sh|python3?|git|scp|os|subprocess|id_\w+|mcp|claude_\w+|credentials|secrets?|wallet|authorized_keys|[A-Z]{2}\d\w*|0x\w+|bc1\w+)$/i;

/** Calls `onSentence` for each sentence in order. */
export function readSentences(text: string, lexicon: Lexicon, onSentence: (sentence: Sentence) => void): void {
  const sentence = new SentenceBuilder(onSentence);
  const quotes = quotedParts(text);
  let quote = 0;
  const pattern = new RegExp(tokenPattern);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { 0: found, 1: word, 2: piece, 3: code, index: start } = match;
    while (quote < quotes.length && (quotes[quote]?.[1] ?? 0) <= start) quote += 1;
    const quoted = start >= (quotes[quote]?.[0] ?? Infinity);
    const special = specialAt(text, start, found);
    if (special !== undefined) {
      pattern.lastIndex = special.end;
      sentence.add(start, special.end, special.kinds, quoted);
    } else if (word !== undefined) sentence.add(start, start + word.length, wordKinds(word, lexicon), quoted);
    else if (piece !== undefined) {
      const known = lexicon.pieceAt(text, start);
      if (known === undefined) continue;
      pattern.lastIndex = known.end;
      sentence.add(start, known.end, known.kinds, quoted);
    } else if (code !== undefined) sentence.add(start + 1, start + code.length - 1, codeKinds(code), quoted);
    else readMark(found, text, start, sentence);
  }
  sentence.finish();
}

function specialAt(text: string, start: number, found: string): { end: number; kinds: Kinds } | undefined {
  if (found.length > 80 || !specialStart.test(found)) return undefined;
  for (const [kind, pattern] of specials) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return { end: pattern.lastIndex, kinds: [kind] };
  }
  return undefined;
}

/** Returns the kinds of a name in backticks. */
function codeKinds(code: string): Kinds {
  if (isLiteral.test(code)) return [];
  return (
    specialAt(code, 1, specialStart.exec(code.slice(1).replace(/\W.*/, ''))?.[0] ?? code[1] ?? '')?.kinds ?? ['IDENT']
  );
}

const isLiteral = /^`(?:true|false|null|undefined|none|[\d.]+)`$/i;
/** Matches `read_file` and `readFile`; a constant in capitals is not a tool name. */
const isName = /[\p{L}\d]_[\p{L}\d]|\p{Ll}{2}\p{Lu}/u;

function wordKinds(word: string, lexicon: Lexicon): Kinds {
  const isUpper = word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase();
  if (!isUpper && isName.test(word)) return ['IDENT'];
  const kinds = lexicon.kindsOf(word);
  return isUpper ? [...kinds, 'UPPER'] : kinds;
}

function readMark(mark: string, text: string, start: number, sentence: SentenceBuilder): void {
  if (mark === ':' || mark === '：') sentence.colon();
  else if (mark.startsWith('\n')) {
    // The next line begins a paragraph, a list item, a tag or a heading.
    const isBreak = mark.indexOf('\n', 1) > 0 || /[-*#<|>•\d[]/.test(text[start + mark.length] ?? '');
    if (isBreak) sentence.finish();
    else sentence.restart();
  } else if (
    ';。！？'.includes(mark) ||
    ('.!?'.includes(mark) && /^[\s"')\]<”]|^$/.test(text.slice(start + 1, start + 2)))
  ) {
    sentence.finish();
  } else if ('.!?/%@'.includes(mark)) return;
  else if (mark !== "'" || !/[\p{L}\d]/u.test(text[start - 1] ?? '')) sentence.restart();
}

const quotation = /"[^"]{1,400}"|“[^”]{1,400}”|「[^」]{1,400}」|«[^»]{1,400}»|(?<![\p{L}\d])'[^'\n]{1,400}'/gu;

/** Quotations are the words of another speaker; JSON strings are not. */
function quotedParts(text: string): readonly (readonly [start: number, end: number])[] {
  return [...text.matchAll(quotation)].flatMap(({ 0: quote, index }) => {
    const before = text.slice(Math.max(0, index - 8), index).trimEnd();
    const isValue = quote.startsWith('"') && (/^$|[{[,=]$|":$/.test(before) || text[index - 1] === '\n');
    return isValue ? [] : [[index, index + quote.length] as const];
  });
}

class SentenceBuilder {
  readonly #onSentence: (sentence: Sentence) => void;
  #tokens: Token[] = [];
  #kinds = new Set<WordKind>();
  #isStart = true;
  #isExample = false;

  constructor(onSentence: (sentence: Sentence) => void) {
    this.#onSentence = onSentence;
  }

  add(start: number, end: number, kinds: Kinds, quoted: boolean): void {
    if (this.#tokens.length === maxTokens) this.#emit(sharedTokens);
    const own: Kinds = this.#isStart ? [...kinds, 'START'] : kinds;
    this.#tokens.push({ start, end, kinds: own, quoted: quoted || this.#isExample });
    for (const kind of own) this.#kinds.add(kind);
    this.#isStart = false;
  }

  /** The rest of the sentence after `example:` is an example. */
  colon(): void {
    const last = this.#tokens.pop();
    if (last === undefined) return;
    this.#tokens.push({ ...last, kinds: [...last.kinds, 'COLON'] });
    this.#kinds.add('COLON');
    this.#isExample ||= this.#tokens.slice(-3).some(({ kinds }) => kinds.includes('EXAMPLE'));
    this.#isStart = true;
  }

  /** The next word begins a clause. */
  restart(): void {
    this.#isStart = true;
  }

  finish(): void {
    if (this.#tokens.length > 0) this.#emit(0);
    this.#isStart = true;
    this.#isExample = false;
  }

  #emit(keep: number): void {
    this.#onSentence({ tokens: this.#tokens, kinds: this.#kinds });
    this.#tokens = keep === 0 ? [] : this.#tokens.slice(-keep);
    this.#kinds = new Set(this.#tokens.flatMap(({ kinds }) => kinds));
  }
}
