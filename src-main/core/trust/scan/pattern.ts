/**
 * Patterns over kinds of words, as rules are written in: `IGNORE ~4 PRIOR ~4 ORDERS`.
 *
 *   A B         a word of kind A, and within the next three words one of kind B
 *   A ~6 B      the same within six
 *   A|B  A+B    of either kind; of both
 *   &8 A B C    all of them within eight words, in any order
 *   !A          only in sentences without a word of kind A
 *   *0.5 …      counts half as much
 */
import type { Sentence } from './sentences.ts';
import { bitsOf, type ClassBits, type WordClass, wordClasses } from './word-classes.ts';

interface Atom {
  /** One of these. */
  readonly any: ClassBits;
  /** And all of these, if any. */
  readonly all: ClassBits | undefined;
  /** How many words after the one before it may stand. */
  readonly gap: number;
}

export interface Pattern {
  readonly atoms: readonly Atom[];
  /** Within how many words all of them stand in any order; 0: in this order. */
  readonly within: number;
  readonly factor: number;
  readonly not: ClassBits;
}

const usualGap = 3;

/** Throws on a pattern with an unknown kind: they are all compiled by a test. */
export function compilePattern(written: string): Pattern {
  const atoms: Atom[] = [];
  let [within, factor, gap] = [0, 1, usualGap];
  let not: ClassBits = { low: 0, high: 0 };
  for (const word of written.split(' ')) {
    const number = Number(word.slice(1));
    if (word.startsWith('~')) gap = number;
    else if (word.startsWith('&')) within = number;
    else if (word.startsWith('*')) factor = number;
    else if (word.startsWith('!')) not = union(not, classBits(word.slice(1)));
    else {
      const [first = '', ...also] = word.split('+');
      const any = first.split('|').map(classBits).reduce(union);
      atoms.push({ any, all: also.length > 0 ? also.map(classBits).reduce(union) : undefined, gap });
      gap = usualGap;
    }
  }
  return { atoms, within, factor, not };
}

function classBits(name: string): ClassBits {
  const known = wordClasses.find((each) => each === name);
  if (known === undefined) throw new TypeError(`No kind of words is called ${name}.`);
  return bitsOf(known satisfies WordClass);
}

/** Words of these kinds stand in most sentences. */
const common =
  'START CALL READ INCLUDE CHANGE WHEN FIRST EVERY NOT PRIOR TASK CONTENT TOOL PARAM EXAMPLE BEST MUST NEW TELL ANSWER MAKE KNOW'
    .split(' ')
    .map(classBits)
    .reduce(union);

/** Of what a match needs, the kinds of words that are least often there. */
export function rarestOf({ atoms }: Pattern): ClassBits {
  const needed = atoms.flatMap(({ any, all }) => (all === undefined ? [any] : [any, ...singleBits(all)]));
  const [rarest] = needed.toSorted((a, b) => frequency(a) - frequency(b));
  return rarest ?? { low: -1, high: -1 };
}

function frequency(bits: ClassBits): number {
  const usual = countBits({ low: bits.low & common.low, high: bits.high & common.high });
  return countBits(bits) + 20 * usual;
}

function countBits({ low, high }: ClassBits): number {
  let count = 0;
  for (const bits of [low, high]) for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function singleBits({ low, high }: ClassBits): ClassBits[] {
  const each: ClassBits[] = [];
  for (let rest = low; rest !== 0; rest &= rest - 1) each.push({ low: rest & -rest, high: 0 });
  for (let rest = high; rest !== 0; rest &= rest - 1) each.push({ low: 0, high: rest & -rest });
  return each;
}

function union(a: ClassBits, b: ClassBits): ClassBits {
  return { low: a.low | b.low, high: a.high | b.high };
}

/** First and last word of a match. */
export interface Match {
  readonly first: number;
  readonly last: number;
}

/** The first match in a sentence. */
export function matchPattern({ atoms, within, not }: Pattern, sentence: Sentence): Match | undefined {
  if ((sentence.anyLow & not.low) !== 0 || (sentence.anyHigh & not.high) !== 0) return undefined;
  for (const { any } of atoms) {
    if ((sentence.anyLow & any.low) === 0 && (sentence.anyHigh & any.high) === 0) return undefined;
  }
  return within > 0 ? inAnyOrder(atoms, within, sentence) : inOrder(atoms, sentence);
}

function inOrder(atoms: readonly Atom[], sentence: Sentence): Match | undefined {
  for (let first = 0; first < sentence.length; first++) {
    if (!fits(atoms[0] as Atom, sentence, first)) continue;
    let last = first;
    let at = 1;
    for (; at < atoms.length; at++) {
      const atom = atoms[at] as Atom;
      const limit = Math.min(sentence.length - 1, last + atom.gap);
      let next = last + 1;
      while (next <= limit && !fits(atom, sentence, next)) next++;
      if (next > limit) break;
      last = next;
    }
    if (at === atoms.length) return { first, last };
  }
  return undefined;
}

function inAnyOrder(atoms: readonly Atom[], within: number, sentence: Sentence): Match | undefined {
  for (let first = 0; first < sentence.length; first++) {
    if (!atoms.some((atom) => fits(atom, sentence, first))) continue;
    const limit = Math.min(sentence.length, first + within);
    let missing = (1 << atoms.length) - 1;
    for (let at = first; at < limit; at++) {
      const filled = atoms.findIndex((atom, index) => ((missing >>> index) & 1) === 1 && fits(atom, sentence, at));
      if (filled < 0) continue;
      missing &= ~(1 << filled);
      if (missing === 0) return { first, last: at };
    }
  }
  return undefined;
}

function fits({ any, all }: Atom, { low, high }: Sentence, at: number): boolean {
  const [here, there] = [low[at] as number, high[at] as number];
  if ((here & any.low) === 0 && (there & any.high) === 0) return false;
  return all === undefined || ((here & all.low) === all.low && (there & all.high) === all.high);
}
