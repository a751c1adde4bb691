/** Random JSON documents with random formatting; deterministic per seed. */

/** Random numbers in [0, 1): mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pieces = [
  'a',
  'é',
  '€',
  '🚀',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\n',
  '\u0000',
  '\u2028',
  ' ',
  'result',
  '\ud800',
];
const keys = ['id', 'result', 'method', 'jsonrpc', 'error', 'isError', 'resultType', '__proto__', 'constructor', ''];
const scalars = ['true', 'false', 'null', '0', '-0', '7', '-1.50', '1e400', '12345678901234567890', '2E-5'];

export class RandomJson {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** An object whose members may have any name, including those of a response. */
  object(depth: number): string {
    const names = [...new Set(Array.from({ length: this.below(5) }, () => this.#name()))];
    const members = names.map(
      (name) => `${this.#string(name)}${this.#space()}:${this.#space()}${this.value(depth - 1)}`,
    );
    return `{${this.#space()}${members.join(`${this.#space()},${this.#space()}`)}${this.#space()}}`;
  }

  value(depth: number): string {
    const kind = this.below(depth > 0 ? 6 : 3);
    if (kind <= 1) return this.#pick(scalars);
    if (kind === 2) return this.#string(this.#text());
    return kind === 3 ? this.#array(depth) : this.object(depth);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #array(depth: number): string {
    const items = Array.from({ length: this.below(4) }, () => this.#space() + this.value(depth - 1) + this.#space());
    return `[${items.join(',')}]`;
  }

  #name(): string {
    return this.below(3) > 0 ? this.#pick(keys) : this.#text();
  }

  /** Sometimes too long to count as a short value. */
  #text(): string {
    const length = this.below(20) === 0 ? 700 : this.below(8);
    return Array.from({ length }, () => this.#pick(pieces)).join('');
  }

  /** Characters unescaped, as short escapes, or as \u. */
  #string(text: string): string {
    const letters = [...text].map((letter) =>
      this.below(4) === 0 ? escaped(letter) : JSON.stringify(letter).slice(1, -1),
    );
    return `"${letters.join('')}"`;
  }

  #space(): string {
    return this.below(3) === 0 ? this.#pick([' ', '\t', '\r', ' \n ']) : '';
  }

  #pick(from: readonly string[]): string {
    return from[this.below(from.length)] as string;
  }
}

function escaped(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, i) => `\\u${letter.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}
