/**
 * Patterns over kinds of words, in the notation of the rules: `IGNORE ~4 PRIOR ~4 ORDERS`.
 *
 * A B a word of kind A, and within the next three words one of kind B
 * A ~6 B the same within six
 * A|B A+B of either kind; of both
 * &8 A B C all of them within eight words, in any order
 * !A only in sentences without a word of kind A
 * *0.5 … counts half as much
 */
import type { Sentence, Token } from './sentence-reader.ts';
import { isWordKind, type WordKind } from './word-kinds.ts';

interface Atom {
  /** At least one of these kinds. */
  readonly any: readonly WordKind[];
  /** All of these kinds. */
  readonly all: readonly WordKind[];
  /** Maximum distance from the previous one, in words. */
  readonly gap: number;
}

export interface Pattern {
  readonly atoms: readonly Atom[];
  /** Number of words that contain all of them in any order; 0: in this order. */
  readonly within: number;
  readonly factor: number;
  readonly not: readonly WordKind[];
  /** Only a sentence with a word of one of these kinds can match. */
  readonly needed: readonly WordKind[];
}

const defaultGap = 3;
/** Kinds that occur in most sentences. */
const commonKinds: ReadonlySet<WordKind> = new Set<WordKind>([
  ...([
    'START',
    'CALL',
    'READ',
    'INCLUDE',
    'CHANGE',
    'WHEN',
    'FIRST',
    'EVERY',
    'NOT',
    'PRIOR',
    'TASK',
    'CONTENT',
  ] as const),
  ...(['TOOL', 'PARAM', 'EXAMPLE', 'BEST', 'MUST', 'NEW', 'TELL', 'ANSWER', 'MAKE', 'KNOW'] as const),
]);

/** Throws a TypeError on an unknown kind. */
export function compilePattern(written: string): Pattern {
  const atoms: Atom[] = [];
  const not: WordKind[] = [];
  let [within, factor, gap] = [0, 1, defaultGap];
  for (const word of written.split(' ')) {
    const number = Number(word.slice(1));
    if (word.startsWith('~')) gap = number;
    else if (word.startsWith('&')) within = number;
    else if (word.startsWith('*')) factor = number;
    else if (word.startsWith('!')) not.push(kindOf(word.slice(1)));
    else {
      const [any = '', ...all] = word.split('+');
      atoms.push({ any: any.split('|').map(kindOf), all: all.map(kindOf), gap });
      gap = defaultGap;
    }
  }
  const rare = atoms.find(({ any }) => !any.some((kind) => commonKinds.has(kind)));
  return { atoms, within, factor, not, needed: (rare ?? atoms[0])?.any ?? [] };
}

function kindOf(name: string): WordKind {
  if (!isWordKind(name)) throw new TypeError(`Unknown word class: ${name}.`);
  return name;
}

/** First and last word of a match. */
export interface Match {
  readonly first: Token;
  readonly last: Token;
}

/** The first match in a sentence. */
export function matchPattern({ atoms, within, not }: Pattern, { tokens, kinds }: Sentence): Match | undefined {
  for (const { any } of atoms) if (!any.some((kind) => kinds.has(kind))) return undefined;
  if (not.some((kind) => kinds.has(kind))) return undefined;
  for (let first = 0; first < tokens.length; first += 1) {
    const last = within > 0 ? endInAnyOrder(atoms, tokens, first, within) : endInOrder(atoms, tokens, first);
    if (last !== undefined) return { first: tokens[first] as Token, last: tokens[last] as Token };
  }
  return undefined;
}

function endInOrder(atoms: readonly Atom[], tokens: readonly Token[], first: number): number | undefined {
  let last = first;
  for (const [at, atom] of atoms.entries()) {
    const from = at === 0 ? first : last + 1;
    const to = at === 0 ? first : last + atom.gap;
    let next = from;
    while (next <= to && !fits(atom, tokens[next])) next += 1;
    if (next > to) return undefined;
    last = next;
  }
  return last;
}

function endInAnyOrder(
  atoms: readonly Atom[],
  tokens: readonly Token[],
  first: number,
  within: number,
): number | undefined {
  let missing = atoms;
  for (let at = first; at < Math.min(tokens.length, first + within); at += 1) {
    const filled = missing.find((atom) => fits(atom, tokens[at]));
    if (filled === undefined && at === first) return undefined;
    missing = missing.filter((atom) => atom !== filled);
    if (missing.length === 0) return at;
  }
  return undefined;
}

function fits({ any, all }: Atom, token: Token | undefined): boolean {
  if (token === undefined) return false;
  return any.some((kind) => token.kinds.includes(kind)) && all.every((kind) => token.kinds.includes(kind));
}
