/**
 * Looks texts that a model will read for what attacks are made of. Pure functions: the same text is always judged the
 * same.
 */
import { cleanReport, type ScanFinding, type ScanReport } from './scan-finding.ts';
import { TextScorer, type TextScore } from './text-scorer.ts';
import { type DefinitionKind, type DefinitionTexts, textsOfDefinition } from './definition-texts.ts';
import { blockThreshold, type TextRole, reviewThreshold } from './rule.ts';

/**
 * A definition as a server lists it (members untouched), or `{ instructions }` of a server. Every text in it that a
 * model reads is looked at: names, descriptions, titles, parameters, enum, const, default, examples, output schema,
 * _meta.
 */
export function scanDefinition(definition: unknown, kind: DefinitionKind = 'tool'): ScanReport {
  return scanTexts(textsOfDefinition(definition, kind));
}

/** The texts of one definition; see places.ts. */
export function scanTexts({ texts, isWhole }: DefinitionTexts): ScanReport {
  const judged = texts.flatMap(({ text, place, path }) => {
    const judgement = judge().score(text, place);
    return judgement.weight >= reviewThreshold[place] ? [{ text, path, judgement }] : [];
  });
  judged.sort((a, b) => b.judgement.weight - a.judgement.weight);
  const findings = judged.slice(0, maxTexts).flatMap(({ text, path, judgement }) => findingsOf(text, path, judgement));
  return reportOf(isWhole ? findings : [...findings, notWhole]);
}

/** One text alone, such as one that an update added. */
export function scanText(text: string, place: TextRole = 'text'): ScanReport {
  const judgement = judge().score(text, place);
  return judgement.weight < reviewThreshold[place] ? cleanReport : reportOf(findingsOf(text, '', judgement));
}

/** A label of a tool's result. It says that it looks as if it gave orders; it is no reason to withhold it. */
export interface ResultLabel {
  readonly rule: string;
  readonly words: string;
  readonly sentence: string;
  /** In characters from the beginning of the text. */
  readonly at: number;
}

/** Labels of the part of a text that weighs most; empty for an ordinary text. Time grows with its length. */
export function scanResult(text: string): readonly ResultLabel[] {
  const { weight, hits } = judge().score(text, 'result');
  if (weight < reviewThreshold.result) return [];
  return hits.map(({ rule, start, end }) => ({
    rule: rule.id,
    words: excerpt(text, start, end),
    sentence: rule.says,
    at: start,
  }));
}

/** The maximum number of texts of one definition whose findings are reported. */
const maxTexts = 20;
const maxExcerptLength = 200;

const notWhole: ScanFinding = {
  rule: 'too-large',
  place: '',
  words: '',
  tier: 'review',
  sentence: 'It has more texts, or more levels, than are looked at.',
};

function findingsOf(text: string, place: string, { weight, hits }: TextScore): ScanFinding[] {
  const tier = weight >= blockThreshold ? 'block' : 'review';
  return [...hits]
    .sort((a, b) => b.weight - a.weight)
    .map(({ rule, start, end }) => ({
      rule: rule.id,
      place,
      words: excerpt(text, start, end),
      tier,
      sentence: rule.says,
    }));
}

function reportOf(findings: readonly ScanFinding[]): ScanReport {
  if (findings.length === 0) return cleanReport;
  return { verdict: findings.some(({ tier }) => tier === 'block') ? 'block' : 'review', findings };
}

function excerpt(text: string, start: number, end: number): string {
  return text.slice(start, Math.min(end, start + maxExcerptLength));
}

/** Its tables take a few ms to make: they are made when something is scanned first. */
const judge = lazily(() => new TextScorer());

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
