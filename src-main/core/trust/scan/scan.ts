/**
 * Scans texts that a model will read for signs of an attack. Pure functions: the same text always gets the same
 * verdict.
 */
import { cleanReport, type ScanFinding, type ScanReport } from './scan-finding.ts';
import { TextScorer, type TextScore } from './text-scorer.ts';
import { type DefinitionKind, type DefinitionTexts, textsOfDefinition } from './definition-texts.ts';
import { blockThreshold, type TextRole, reviewThreshold } from './rule.ts';

/**
 * Scans a definition as the server lists it, or `{ instructions }` of a server. Covers every text that a model reads:
 * names, descriptions, titles, parameters, enum, const, default, examples, output schema, _meta.
 */
export function scanDefinition(definition: unknown, kind: DefinitionKind = 'tool'): ScanReport {
  return scanTexts(textsOfDefinition(definition, kind));
}

/** Scans the texts of one definition; see definition-texts.ts. */
export function scanTexts({ texts, isWhole }: DefinitionTexts): ScanReport {
  const judged = texts.flatMap(({ text, place, path }) => {
    const judgement = judge().score(text, place);
    return judgement.weight >= reviewThreshold[place] ? [{ text, path, judgement }] : [];
  });
  judged.sort((a, b) => b.judgement.weight - a.judgement.weight);
  const findings = judged.slice(0, maxTexts).flatMap(({ text, path, judgement }) => findingsOf(text, path, judgement));
  return reportOf(isWhole ? findings : [...findings, notWhole]);
}

/** Scans a single text, such as one that an update added. */
export function scanText(text: string, place: TextRole = 'text'): ScanReport {
  const judgement = judge().score(text, place);
  return judgement.weight < reviewThreshold[place] ? cleanReport : reportOf(findingsOf(text, '', judgement));
}

/** A label of a tool's result: it looks as if it contained instructions. Not a reason to withhold it. */
export interface ResultLabel {
  readonly rule: string;
  readonly words: string;
  readonly sentence: string;
  /** In characters from the beginning of the text. */
  readonly at: number;
}

/** Labels of the heaviest part of a text; empty for an ordinary text. Takes linear time. */
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
  sentence: 'It has more texts or more levels than the scan covers.',
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

/** Creating its tables takes a few ms, so they are created at the first scan. */
const judge = lazily(() => new TextScorer());

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
