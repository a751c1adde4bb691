/** All rules there are, but those over a whole catalog (shadowing.ts). */
import type { Rule } from './rule.ts';
import { addressing } from './rules/addressing.ts';
import { boasting } from './rules/boasting.ts';
import { formRules } from './rules/form.ts';
import { hiding } from './rules/hiding.ts';
import { obligations } from './rules/obligations.ts';
import { overriding } from './rules/overriding.ts';
import { taking } from './rules/taking.ts';

/** What a person reads about a label of an answer. */
export interface LabelWords {
  readonly rule: string;
  readonly name: string;
  readonly says: string;
}

const notScanned: LabelWords = {
  rule: 'not-scanned',
  name: 'Not looked at whole',
  says: 'A part of it was too long to be looked at.',
};

/** Of ids that no rule has (any more) the id itself stands for the words. */
export function wordsOfLabels(rules: readonly string[]): readonly LabelWords[] {
  return rules.map((id) => {
    if (id === notScanned.rule) return notScanned;
    const { name = id, says = '' } = allRules.find((rule) => rule.id === id) ?? {};
    return { rule: id, name, says };
  });
}

export const allRules: readonly Rule[] = [
  ...overriding,
  ...obligations,
  ...hiding,
  ...taking,
  ...boasting,
  ...addressing,
  ...formRules,
];
