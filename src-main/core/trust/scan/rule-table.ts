/** All rules there are, but those over a whole catalog (shadowing.ts). */
import type { Rule } from './rule.ts';
import { addressing } from './rules/addressing.ts';
import { boasting } from './rules/boasting.ts';
import { formRules } from './rules/form.ts';
import { hiding } from './rules/hiding.ts';
import { obligations } from './rules/obligations.ts';
import { overriding } from './rules/overriding.ts';
import { taking } from './rules/taking.ts';

export const allRules: readonly Rule[] = [
  ...overriding,
  ...obligations,
  ...hiding,
  ...taking,
  ...boasting,
  ...addressing,
  ...formRules,
];
