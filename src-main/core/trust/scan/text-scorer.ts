/** Scores one text: which rules match, and how many of the matches are close together. */
import { hiddenSpans, normalizeForModel } from './hidden-characters.ts';
import { findEncodedTexts, rot13 } from './encoded-texts.ts';
import { Lexicon } from './lexicon.ts';
import { markupSpans } from './markup.ts';
import { compilePattern, matchPattern, type Pattern } from './pattern.ts';
import type { TextRole, Rule } from './rule.ts';
import { allRules } from './rule-table.ts';
import { readSentences, type Sentence } from './sentence-reader.ts';
import type { WordKind } from './word-kinds.ts';

export interface RuleHit {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** The heaviest part of a text: the hits within one window, the heaviest of each rule. */
export interface TextScore {
  readonly weight: number;
  readonly hits: readonly RuleHit[];
}

/** In characters. Hits farther apart are not added up, so that a long text weighs no more than its worst part. */
const windowSize: Readonly<Record<TextRole, number>> = { text: 1500, value: 1500, name: 300, guide: 1500, result: 900 };
const maxHits = 300;
/** Maximum number of characters decoded as ROT13, if a word looks encoded. */
const maxRot13 = 4000;
/** The minimum weight of a hidden or encoded text. */
const minInnerWeight = 0.3;

type AddHit = (id: string, start: number, end: number, factor?: number) => void;

export class TextScorer {
  /** Patterns by a kind of word that they need. */
  readonly #patterns = new Map<WordKind, (readonly [Rule, Pattern])[]>();
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #lexicon = new Lexicon();

  constructor() {
    this.#rules = new Map(allRules.map((rule) => [rule.id, rule]));
    for (const rule of allRules) {
      for (const pattern of rule.patterns.map(compilePattern)) {
        for (const kind of pattern.needed) {
          this.#patterns.set(kind, [...(this.#patterns.get(kind) ?? []), [rule, pattern]]);
        }
      }
    }
  }

  /** Takes time linear in the length of the text. */
  score(text: string, place: TextRole): TextScore {
    return heaviestPart(this.#hitsIn(text, place, true), windowSize[place]);
  }

  #hitsIn(text: string, place: TextRole, isOuter: boolean): RuleHit[] {
    const hits: RuleHit[] = [];
    const add: AddHit = (id, start, end, factor = 1) => {
      const rule = this.#rules.get(id);
      const weight = rule === undefined ? 0 : weightOf(rule, place) * factor;
      if (rule !== undefined && weight > 0 && hits.length < maxHits) hits.push({ rule, start, end, weight });
    };
    const hidden = hiddenSpans(text);
    for (const { rule, start, end, factor } of hidden) add(rule, start, end, factor);
    const plain = hidden.length > 0 ? normalizeForModel(text) : text;
    let hasRot13 = false;
    readSentences(plain, this.#lexicon, (sentence) => {
      hasRot13 ||= sentence.kinds.has('ROT13');
      for (const kind of sentence.kinds) {
        for (const [rule, pattern] of this.#patterns.get(kind) ?? []) matchRule(rule, pattern, sentence, add);
      }
    });
    for (const { rule, start, end, factor } of markupSpans(plain)) {
      // Text that a page does not display is ordinary; instructions in it are not.
      if (rule !== 'hidden-text' || weightWithin(hits, start, end) >= minInnerWeight) add(rule, start, end, factor);
    }
    if (!isOuter) return hits;
    for (const { spelled, start, end } of hidden) {
      if (spelled.length > 7) hits.push(...this.#hitsInside(spelled, place, start, end));
    }
    const encoded = findEncodedTexts(plain);
    if (hasRot13) {
      encoded.push({ text: rot13(plain.slice(0, maxRot13)), start: 0, end: Math.min(plain.length, maxRot13) });
    }
    for (const { text: inner, start, end } of encoded) {
      const found = this.#hitsInside(inner, place, start, end).filter(({ weight }) => weight >= minInnerWeight);
      if (found.length > 0) add('encoded', start, end);
      hits.push(...found);
    }
    return hits;
  }

  /** The hits of an inner text, at the place of the outer text. */
  #hitsInside(inner: string, place: TextRole, start: number, end: number): RuleHit[] {
    return this.#hitsIn(inner, place, false).map((hit) => ({ ...hit, start, end }));
  }
}

function matchRule(rule: Rule, pattern: Pattern, sentence: Sentence, add: AddHit): void {
  const match = matchPattern(pattern, sentence);
  if (match === undefined) return;
  const { first, last } = match;
  // Quotations and examples are not instructions of the text itself.
  if (first.quoted && last.quoted) return;
  const isAboutSpeech = rule.isSpeech === true && sentence.kinds.has('DETECT');
  add(rule.id, first.start, last.end, pattern.factor * (isAboutSpeech ? 0.25 : 1));
}

function weightOf({ weights }: Rule, place: TextRole): number {
  return place === 'name' ? (weights.name ?? weights.value) : weights[place];
}

function weightWithin(hits: readonly RuleHit[], from: number, to: number): number {
  return sumOf(hits.filter(({ start, end }) => start >= from && end <= to));
}

function sumOf(hits: readonly RuleHit[]): number {
  return hits.reduce((sum, { weight }) => sum + weight, 0);
}

/** Returns the heaviest of all windows, each rule counted once. */
function heaviestPart(hits: readonly RuleHit[], size: number): TextScore {
  const sorted = [...hits].sort((a, b) => a.start - b.start);
  let best: TextScore = { weight: 0, hits: [] };
  for (const [first, { start: from }] of sorted.entries()) {
    const byRule = new Map<string, RuleHit>();
    for (let at = first; at < sorted.length && (sorted[at] as RuleHit).start <= from + size; at += 1) {
      const hit = sorted[at] as RuleHit;
      if (hit.weight > (byRule.get(hit.rule.id)?.weight ?? 0)) byRule.set(hit.rule.id, hit);
    }
    const found = [...byRule.values()];
    const weight = sumOf(found);
    if (weight > best.weight) best = { weight, hits: found };
  }
  return best;
}
