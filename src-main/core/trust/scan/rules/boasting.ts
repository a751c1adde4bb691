/** Rules about texts that want a tool chosen for other reasons than what it does. */
import type { Rule } from '../rule.ts';

export const boasting: readonly Rule[] = [
  {
    id: 'superlative',
    name: 'Praises itself',
    says: 'It praises itself so that the model picks it.',
    weights: { text: 0.9, value: 1, guide: 0.5, result: 0.2 },
    patterns: ['BEST ~1 TOOL ~3 NEW|WHOLE', 'TOOL ~3 BEST ~3 EVERY'],
  },
  {
    id: 'always-me',
    name: 'Wants every request',
    says: 'It wants to be called whatever is asked.',
    weights: { text: 1, value: 1, guide: 0.6, result: 0.5 },
    patterns: ['CALL ~3 EVERY ~3 USER ~3 TELL ~2 EVERY', 'CALL ~5 TOOL ~4 EVERY ~2 TASK', 'REGARDLESS ~4 TASK'],
  },
  {
    id: 'others-bad',
    name: 'Speaks ill of other tools',
    says: 'It says that other tools must not be used.',
    weights: { text: 1, value: 1, guide: 0.8, result: 0.5 },
    patterns: ['OTHER ~3 TOOL ~4 UNSAFE', 'NOT|NEVER ~3 CALL ~4 OTHER ~3 TOOL', 'IDENT ~3 UNSAFE ~8 CALL'],
  },
];
