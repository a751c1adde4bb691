/** All rules except those over a whole catalog (shadowing.ts). */
import type { Rule } from './rule.ts';
import { calls } from './rules/calls.ts';
import { obfuscationRules } from './rules/obfuscation.ts';
import { orders } from './rules/orders.ts';
import { exfiltrationRules } from './rules/exfiltration.ts';

export const allRules: readonly Rule[] = [...orders, ...calls, ...exfiltrationRules, ...obfuscationRules];
