/** All words of all languages as one automaton that is walked letter by letter: no copies of words, no time that depends on their number. */
import { bitsOf, type Vocabulary, type WordClass } from './word-classes.ts';
import { chinese, japanese, korean } from './words/east-asian.ts';
import { english } from './words/english.ts';
import { german } from './words/german.ts';
import { french, italian, portuguese, spanish } from './words/romance.ts';
import { russian } from './words/russian.ts';

/** Letters that have a column of their own: a–z, а–я, digits as one, and 0 for what belongs to no word. */
const columns = 64;
const cyrillic = 27;
const digit = 60;
/** A letter of another script: it ends no word and begins none that we know. */
const strange = 61;

/** The column of each character below 0x530, accents left out. */
function columnTable(): Uint8Array {
  const table = new Uint8Array(0x530);
  for (let code = 0; code < table.length; code++) table[code] = columnOf(String.fromCharCode(code));
  return table;
}

function columnOf(character: string): number {
  const plain = character.toLowerCase();
  const letter = plain === 'ё' ? 'е' : plain === 'ß' ? 's' : plain === 'й' ? 'й' : (plain.normalize('NFD')[0] ?? plain);
  const code = letter.charCodeAt(0);
  if (code >= 97 && code <= 122) return code - 96;
  if (code >= 0x430 && code <= 0x44f) return code - 0x430 + cyrillic;
  if (/\p{Nd}/u.test(letter)) return digit;
  return /[\p{L}\p{M}]/u.test(letter) ? strange : 0;
}

export interface Lexicon {
  /** The column of each character below its length. */
  readonly columns: Uint8Array;
  /** From `node * 64 + column` to the next node; 0: no word goes on like this. */
  readonly next: Uint16Array;
  /** Kinds of the word that ends at a node; and of all that begin as it does, or as a node before it. */
  readonly low: Int32Array;
  readonly high: Int32Array;
  readonly openLow: Int32Array;
  readonly openHigh: Int32Array;
  /** Of scripts without spaces: from `node * 65536 + code` to the next node. */
  readonly pieces: ReadonlyMap<number, number>;
}

/** Takes a few ms. */
export function makeLexicon(): Lexicon {
  const builder = new Builder();
  for (const words of [english, german, spanish, french, italian, portuguese, russian]) builder.addWords(words);
  for (const words of [chinese, japanese, korean]) builder.addPieces(words);
  return builder.done();
}

class Builder {
  readonly #columns = columnTable();
  readonly #next: number[][] = [[], []];
  readonly #pieces = new Map<number, number>();
  readonly #bits: number[][] = [[], []];

  addWords(words: Vocabulary): void {
    forEachWord(words, (word, bits) => {
      const open = word.endsWith('*');
      let node = 1;
      for (const character of open ? word.slice(0, -1) : word) node = this.#step(node, character);
      this.#mark(node, bits, open ? 2 : 0);
    });
  }

  addPieces(words: Vocabulary): void {
    forEachWord(words, (word, bits) => {
      let node = 1;
      for (let at = 0; at < word.length; at++) {
        const key = node * 65536 + word.charCodeAt(at);
        const known = this.#pieces.get(key) ?? this.#newNode();
        this.#pieces.set(key, known);
        node = known;
      }
      this.#mark(node, bits, 0);
    });
  }

  done(): Lexicon {
    const size = this.#next.length;
    const next = new Uint16Array(size * columns);
    this.#next.forEach((row, node) => row.forEach((to, column) => (next[node * columns + column] = to)));
    const bits = (at: number): Int32Array => Int32Array.from(this.#bits, (each) => each[at] ?? 0);
    const [openLow, openHigh] = [bits(2), bits(3)];
    // A node is made after the one that leads to it.
    this.#next.forEach((row, node) =>
      row.forEach((to) => {
        openLow[to] = (openLow[to] as number) | (openLow[node] as number);
        openHigh[to] = (openHigh[to] as number) | (openHigh[node] as number);
      }),
    );
    return {
      columns: this.#columns,
      next,
      low: bits(0),
      high: bits(1),
      openLow,
      openHigh,
      pieces: this.#pieces,
    };
  }

  #step(node: number, character: string): number {
    // Apostrophes are left out of words here and while reading.
    const column = this.#columns[character.charCodeAt(0)] ?? 0;
    if (column === 0) return node;
    const row = this.#next[node] ?? [];
    row[column] ??= this.#newNode();
    return row[column];
  }

  #newNode(): number {
    this.#bits.push([]);
    return this.#next.push([]) - 1;
  }

  #mark(node: number, [low, high]: readonly [number, number], at: number): void {
    const bits = this.#bits[node] ?? [];
    bits[at] = (bits[at] ?? 0) | low;
    bits[at + 1] = (bits[at + 1] ?? 0) | high;
  }
}

function forEachWord(words: Vocabulary, add: (word: string, bits: readonly [number, number]) => void): void {
  for (const [name, list] of Object.entries(words)) {
    const { low, high } = bitsOf(name as WordClass);
    for (const word of list.split(' ')) add(word, [low, high]);
  }
}
