/** The vocabulary of all languages, with the kinds of each word. */
import { isWordKind, type WordKind } from './word-kinds.ts';
import chinese from './words/chinese.json' with { type: 'json' };
import english from './words/english.json' with { type: 'json' };
import french from './words/french.json' with { type: 'json' };
import german from './words/german.json' with { type: 'json' };
import italian from './words/italian.json' with { type: 'json' };
import japanese from './words/japanese.json' with { type: 'json' };
import korean from './words/korean.json' with { type: 'json' };
import portuguese from './words/portuguese.json' with { type: 'json' };
import russian from './words/russian.json' with { type: 'json' };
import spanish from './words/spanish.json' with { type: 'json' };

/**
 * Words of one language by kind: separated by spaces, `word*` for a prefix; accents of Latin letters may be omitted.
 */
type Vocabulary = Readonly<Record<string, string>>;
export type Kinds = readonly WordKind[];

/** Maximum length of vocabulary entries in scripts without spaces. */
const maxPieceLength = 8;
/** Texts repeat words, and looking one up in all vocabularies is most of the work. */
const maxKnown = 10_000;

export class Lexicon {
  readonly #words = new Map<string, WordKind[]>();
  /** The prefixes before a `*`, and their lengths. */
  readonly #beginnings = new Map<string, WordKind[]>();
  readonly #lengths = new Set<number>();
  /** Recently looked-up words. */
  readonly #known = new Map<string, Kinds>();
  /** Words of scripts without spaces, found at any position. */
  readonly #pieces = new Map<string, WordKind[]>();

  constructor() {
    for (const words of [english, german, spanish, french, italian, portuguese, russian]) {
      forEachWord(words, (word, kind) => {
        const plain = plainWord(word);
        if (!plain.endsWith('*')) return addKind(this.#words, plain, kind);
        this.#lengths.add(plain.length - 1);
        addKind(this.#beginnings, plain.slice(0, -1), kind);
      });
    }
    for (const words of [chinese, japanese, korean]) {
      forEachWord(words, (word, kind) => addKind(this.#pieces, word, kind));
    }
  }

  kindsOf(word: string): Kinds {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const kinds = this.#lookUp(word);
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(word, kinds);
    return kinds;
  }

  #lookUp(word: string): Kinds {
    const plain = plainWord(word);
    let kinds: Kinds = this.#words.get(plain) ?? [];
    for (const length of this.#lengths) {
      const candidates = plain.length < length ? undefined : this.#beginnings.get(plain.slice(0, length));
      if (candidates !== undefined) kinds = [...kinds, ...candidates];
    }
    return kinds;
  }

  /** The longest known word at a position of the text. */
  pieceAt(text: string, start: number): { readonly end: number; readonly kinds: Kinds } | undefined {
    for (let end = start + maxPieceLength; end > start; end -= 1) {
      const kinds = this.#pieces.get(text.slice(start, end));
      if (kinds !== undefined) return { end: Math.min(end, text.length), kinds };
    }
    return undefined;
  }
}

/** Lower case, without accents and apostrophes. */
function plainWord(word: string): string {
  const lower = word.toLowerCase();
  return /^[a-z0-9]*$/.test(lower) ? lower : lower.normalize('NFD').replace(/[\p{M}'’]/gu, '');
}

function forEachWord(words: Vocabulary, add: (word: string, kind: WordKind) => void): void {
  for (const [kind, list] of Object.entries(words)) {
    if (!isWordKind(kind)) throw new TypeError(`Unknown kind of words: ${kind}.`);
    for (const word of list.split(' ')) add(word, kind);
  }
}

function addKind(table: Map<string, WordKind[]>, word: string, kind: WordKind): void {
  const known = table.get(word);
  if (known === undefined) table.set(word, [kind]);
  else if (!known.includes(kind)) known.push(kind);
}
