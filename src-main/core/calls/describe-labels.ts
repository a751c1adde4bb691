/** User-facing descriptions of a result's labels: text that looks like instructions, and sensitive data. */
import { type SensitiveKind, sensitiveLabels } from '../trust/data-flow/sensitive-data.ts';
import { allRules } from '../trust/scan/rule-table.ts';

export interface LabelDescription {
  readonly rule: string;
  /**
   * `orders`: the result contains what looks like instructions. `data`: it contains keys or cards. `unread`: a part
   * was not
   * scanned.
   */
  readonly about: 'orders' | 'data' | 'unread';
  readonly name: string;
  readonly says: string;
}

export const notScanned = 'not-scanned';

/** The label of a result that contains such data. */
export function sensitiveLabel(kind: SensitiveKind): string {
  return `holds-${kind.replace(' ', '-')}`;
}

const others: readonly LabelDescription[] = [
  { rule: notScanned, about: 'unread', name: 'Not fully scanned', says: 'A part of it could not be scanned.' },
  {
    rule: sensitiveLabel('key'),
    about: 'data',
    name: `Holds ${sensitiveLabels.key}`,
    says: 'It starts like the keys of a known service.',
  },
  {
    rule: sensitiveLabel('private key'),
    about: 'data',
    name: `Holds ${sensitiveLabels['private key']}`,
    says: 'Anyone who has it can sign or authenticate with it.',
  },
  {
    rule: sensitiveLabel('card'),
    about: 'data',
    name: `Holds ${sensitiveLabels.card}`,
    says: 'It has the digits of a card issuer and a valid check digit.',
  },
];

/** Describes labels; an id that matches no rule is shown as it is. */
export function describeLabels(rules: readonly string[]): readonly LabelDescription[] {
  return rules.map((id) => {
    const other = others.find(({ rule }) => rule === id);
    if (other !== undefined) return other;
    const { name = id, says = '' } = allRules.find((rule) => rule.id === id) ?? {};
    return { rule: id, about: 'orders', name, says };
  });
}
