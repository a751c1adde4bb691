/** Weighs one text: what the rules find in it, and how much of that stands close together. */
import { hiddenSpans, unmasked } from './characters.ts';
import { decodedTexts, rot13 } from './decode.ts';
import { makeLexicon } from './lexicon.ts';
import { markupSpans } from './markup.ts';
import { compilePattern, matchPattern, type Pattern, rarestOf } from './pattern.ts';
import type { Place, Rule } from './rule.ts';
import { allRules } from './rule-table.ts';
import { type Sentence, SentenceReader } from './sentences.ts';
import { bitsOf, type ClassBits } from './word-classes.ts';

export interface Hit {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** What of a text weighs most: hits that stand within one window, heaviest of each rule. */
export interface Judgement {
  readonly weight: number;
  readonly hits: readonly Hit[];
}

interface WeighedPattern {
  readonly rule: Rule;
  readonly pattern: Pattern;
  readonly weight: number;
}

/** Patterns that a sentence can only have if it has a word of these kinds. */
interface PatternGroup {
  readonly rare: ClassBits;
  readonly patterns: readonly WeighedPattern[];
}

/** In characters: what stands farther apart is not added up, so that a long text weighs no more than its worst part. */
const windowSize: Readonly<Record<Place, number>> = { text: 1500, value: 1500, name: 300, guide: 1500, result: 900 };
const mostHits = 300;
const detect = bitsOf('DETECT');
const rot = bitsOf('ROT13');

export class Judge {
  readonly #patterns: Readonly<Record<Place, readonly PatternGroup[]>>;
  readonly #byId: ReadonlyMap<string, Rule>;
  readonly #reader = new SentenceReader(makeLexicon());

  constructor() {
    this.#byId = new Map(allRules.map((rule) => [rule.id, rule]));
    const of = (place: Place): PatternGroup[] => grouped(allRules.flatMap((rule) => weighedPatterns(rule, place)));
    this.#patterns = {
      text: of('text'),
      value: of('value'),
      name: of('name'),
      guide: of('guide'),
      result: of('result'),
    };
  }

  /** Time grows with the length of the text. */
  judge(text: string, place: Place): Judgement {
    const hits = this.#hitsIn(text, place, true);
    return hits.length === 0 ? { weight: 0, hits } : heaviest(hits, windowSize[place]);
  }

  #hitsIn(text: string, place: Place, isOuter: boolean): Hit[] {
    const hits: Hit[] = [];
    const add = (id: string, start: number, end: number, factor = 1): void => {
      const rule = this.#byId.get(id);
      const weight = rule === undefined ? 0 : weightOf(rule, place) * factor;
      if (rule !== undefined && weight > 0 && hits.length < mostHits) hits.push({ rule, start, end, weight });
    };
    const hidden = hiddenSpans(text);
    for (const { rule, start, end, factor } of hidden) add(rule, start, end, factor);
    const plain = hidden.length > 0 ? unmasked(text) : text;
    const { hasRot13, longRuns } = this.#readSentences(plain, place, (hit) => hits.length < mostHits && hits.push(hit));
    this.#readMarkup(plain, hits, add);
    if (!isOuter) return hits;
    for (const { spelled, start, end } of hidden) {
      if (spelled.length > 7) hits.push(...this.#within(spelled, place, start, end));
    }
    for (const { text: inner, start, end } of decodedTexts(plain, longRuns)) {
      hits.push(...this.#encoded(inner, place, start, end, add));
    }
    if (hasRot13) hits.push(...this.#encoded(rot13(plain.slice(0, 4000)), place, 0, Math.min(plain.length, 4000), add));
    return hits;
  }

  #readSentences(
    text: string,
    place: Place,
    add: (hit: Hit) => void,
  ): { hasRot13: boolean; longRuns: readonly number[] } {
    let hasRot13 = false;
    const groups = this.#patterns[place];
    const longRuns = this.#reader.read(text, (sentence) => {
      const { anyLow, anyHigh } = sentence;
      // Words that are words only when their letters are moved.
      if ((anyLow & rot.low) !== 0 || (anyHigh & rot.high) !== 0) hasRot13 = true;
      for (const { rare, patterns } of groups) {
        if ((anyLow & rare.low) === 0 && (anyHigh & rare.high) === 0) continue;
        for (const weighed of patterns) {
          const hit = match(weighed, sentence);
          if (hit !== undefined) add(hit);
        }
      }
    });
    return { hasRot13, longRuns };
  }

  #readMarkup(text: string, hits: readonly Hit[], add: AddHit): void {
    for (const { rule, start, end, factor } of markupSpans(text)) {
      if (rule !== 'hidden-text') add(rule, start, end, factor);
      // What a page does not show is ordinary; orders in it are not.
      else if (weightWithin(hits, start, end) >= 0.35) add(rule, start, end);
    }
  }

  /** What an inner text says counts where the outer one stands. */
  #within(inner: string, place: Place, start: number, end: number): Hit[] {
    return this.#hitsIn(inner, place, false).map((hit) => ({ ...hit, start, end }));
  }

  #encoded(inner: string, place: Place, start: number, end: number, add: AddHit): Hit[] {
    const found = this.#within(inner, place, start, end).filter(({ weight }) => weight >= 0.3);
    if (found.length > 0) add('encoded', start, end);
    return found;
  }
}

function weightWithin(hits: readonly Hit[], from: number, to: number): number {
  return hits.reduce((sum, { start, end, weight }) => (start >= from && end <= to ? sum + weight : sum), 0);
}

type AddHit = (id: string, start: number, end: number, factor?: number) => void;

function weighedPatterns(rule: Rule, place: Place): WeighedPattern[] {
  const weight = weightOf(rule, place);
  if (weight === 0) return [];
  return rule.patterns.map((written) => {
    const pattern = compilePattern(written);
    return { rule, pattern, weight: weight * pattern.factor };
  });
}

function grouped(patterns: readonly WeighedPattern[]): PatternGroup[] {
  const groups = new Map<string, { rare: ClassBits; patterns: WeighedPattern[] }>();
  for (const weighed of patterns) {
    const rare = rarestOf(weighed.pattern);
    const key = `${rare.low} ${rare.high}`;
    const group = groups.get(key) ?? { rare, patterns: [] };
    group.patterns.push(weighed);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function weightOf({ weights }: Rule, place: Place): number {
  return place === 'name' ? (weights.name ?? weights.value) : weights[place];
}

function match({ rule, pattern, weight }: WeighedPattern, sentence: Sentence): Hit | undefined {
  const found = matchPattern(pattern, sentence);
  if (found === undefined) return undefined;
  const { first, last } = found;
  const counts = weight * (rule.isSpeech ? seriousness(sentence, first, last) : 1);
  if (counts === 0) return undefined;
  return { rule, start: sentence.start[first] as number, end: sentence.end[last] as number, weight: counts };
}

/** 0 for what is quoted or given as an example, little for what stands in a sentence about detecting such things. */
function seriousness(sentence: Sentence, first: number, last: number): number {
  if ((sentence.quoted[first] as number) > 0 && (sentence.quoted[last] as number) > 0) return 0;
  return (sentence.anyLow & detect.low) !== 0 || (sentence.anyHigh & detect.high) !== 0 ? 0.25 : 1;
}

/** Of all windows the one that weighs most, each rule counted once. */
function heaviest(hits: readonly Hit[], size: number): Judgement {
  const sorted = [...hits].sort((a, b) => a.start - b.start);
  let best: Judgement = { weight: 0, hits: [] };
  for (let first = 0; first < sorted.length; first++) {
    const from = (sorted[first] as Hit).start;
    const byRule = new Map<string, Hit>();
    for (let at = first; at < sorted.length; at++) {
      const hit = sorted[at] as Hit;
      if (hit.start > from + size) break;
      if (hit.weight > (byRule.get(hit.rule.id)?.weight ?? 0)) byRule.set(hit.rule.id, hit);
    }
    const found = [...byRule.values()];
    const weight = found.reduce((sum, hit) => sum + hit.weight, 0);
    if (weight > best.weight) best = { weight, hits: found };
  }
  return best;
}
