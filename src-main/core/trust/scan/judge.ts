/** Weighs one text: what the rules find in it, and how much of that stands close together. */
import { hiddenSpans, unmasked } from './characters.ts';
import { decodedTexts, rot13 } from './decode.ts';
import { makeLexicon } from './lexicon.ts';
import { markupSpans } from './markup.ts';
import { compilePattern, matchPattern, type Pattern } from './pattern.ts';
import type { Place, Rule } from './rule.ts';
import { allRules } from './rule-table.ts';
import { type Sentence, SentenceReader } from './sentences.ts';
import { bitsOf } from './word-classes.ts';

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

interface CompiledRule {
  readonly rule: Rule;
  readonly patterns: readonly Pattern[];
}

/** In characters: what stands farther apart is not added up, so that a long text weighs no more than its worst part. */
const windowSize: Readonly<Record<Place, number>> = { text: 1500, value: 1500, name: 300, guide: 1500, result: 900 };
const mostHits = 300;
const detect = bitsOf('DETECT');
const rot = bitsOf('ROT13');

export class Judge {
  readonly #rules: readonly CompiledRule[];
  readonly #byId: ReadonlyMap<string, Rule>;
  readonly #reader = new SentenceReader(makeLexicon());

  constructor() {
    this.#rules = allRules
      .filter(({ patterns }) => patterns.length > 0)
      .map((rule) => ({ rule, patterns: rule.patterns.map(compilePattern) }));
    this.#byId = new Map(allRules.map((rule) => [rule.id, rule]));
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
    const hasRot13 = this.#readSentences(plain, place, (hit) => hits.length < mostHits && hits.push(hit));
    this.#readMarkup(plain, hits, add);
    if (!isOuter) return hits;
    for (const { spelled, start, end } of hidden) {
      if (spelled.length > 7) hits.push(...this.#within(spelled, place, start, end));
    }
    for (const { text: inner, start, end } of decodedTexts(plain)) {
      hits.push(...this.#encoded(inner, place, start, end, add));
    }
    if (hasRot13) hits.push(...this.#encoded(rot13(plain.slice(0, 4000)), place, 0, Math.min(plain.length, 4000), add));
    return hits;
  }

  /** Whether there are words that are words only when their letters are moved. */
  #readSentences(text: string, place: Place, add: (hit: Hit) => void): boolean {
    let rotated = 0;
    this.#reader.read(text, (sentence) => {
      if ((sentence.anyLow & rot.low) !== 0 || (sentence.anyHigh & rot.high) !== 0) rotated++;
      for (const { rule, patterns } of this.#rules) {
        const weight = weightOf(rule, place);
        if (weight === 0) continue;
        const hit = bestMatch(rule, patterns, weight, sentence);
        if (hit !== undefined) add(hit);
      }
    });
    return rotated > 0;
  }

  #readMarkup(text: string, hits: readonly Hit[], add: AddHit): void {
    for (const { rule, start, end, factor } of markupSpans(text)) {
      if (rule !== 'hidden-text') add(rule, start, end, factor);
      // What a page does not show is ordinary; orders in it are not.
      else if (hits.some((hit) => hit.start >= start && hit.end <= end && hit.weight >= 0.4)) add(rule, start, end);
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

type AddHit = (id: string, start: number, end: number, factor?: number) => void;

function weightOf({ weights }: Rule, place: Place): number {
  return place === 'name' ? (weights.name ?? weights.value) : weights[place];
}

function bestMatch(rule: Rule, patterns: readonly Pattern[], weight: number, sentence: Sentence): Hit | undefined {
  let best: Hit | undefined;
  for (const pattern of patterns) {
    if (best !== undefined && weight * pattern.factor <= best.weight) continue;
    const match = matchPattern(pattern, sentence);
    if (match === undefined) continue;
    const found = weight * pattern.factor * (rule.isSpeech ? seriousness(sentence, match.first, match.last) : 1);
    if (found > 0 && found > (best?.weight ?? 0)) {
      best = {
        rule,
        start: sentence.start[match.first] as number,
        end: sentence.end[match.last] as number,
        weight: found,
      };
    }
  }
  return best;
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
