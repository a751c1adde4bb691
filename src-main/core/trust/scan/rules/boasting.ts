/** Rules about texts that want a tool chosen for other reasons than what it does. */
import type { Rule } from '../rule.ts';

export const boasting: readonly Rule[] = [
  {
    id: 'superlative',
    name: 'Praises itself',
    says: 'It praises itself so that the model picks it.',
    weights: { text: 0.7, value: 0.8, name: 0.2, guide: 0.3, result: 0.2 },
    patterns: [
      '*1.1 BEST ~1 TOOL ~3 EVERY',
      'BEST ~1 TOOL ~3 CONTENT',
      'ALWAYS ~2 BEST ~6 OTHER|IDENT',
      'BEST ~2 BEST ~3 TOOL',
    ],
  },
  {
    id: 'always-me',
    name: 'Wants every request',
    says: 'It wants to be called whatever is asked.',
    weights: { text: 1, value: 1, name: 0.2, guide: 0.5, result: 0.4 },
    patterns: [
      'CALL ~3 EVERY ~3 USER ~3 TASK|KNOW',
      'MUST|ALWAYS ~4 CALL ~4 TOOL ~5 EVERY ~3 TASK',
      'REGARDLESS ~4 TASK ~2 TASK',
      '*0.8 TOOL ~2 MUST ~2 CALL ~2 FIRST ~2 EVERY ~2 TOOL|OTHER',
      '*0.8 MUST ~2 CALL ~2 FIRST ~3 OTHER ~2 TOOL',
      '*0.8 FIRST ~3 OTHER ~2 TOOL ~6 MUST ~4 CALL|READ|SEND',
      '*0.3 &6 FIRST CALL OTHER TOOL',
    ],
  },
  {
    id: 'others-bad',
    name: 'Speaks ill of other tools',
    says: 'It says that other tools must not be used.',
    weights: { text: 1, value: 1, name: 0.2, guide: 0.8, result: 0.3 },
    patterns: [
      'OTHER ~3 TOOL ~4 UNSAFE',
      'OTHER ~3 TOOL ~8 MUST ~1 NOT ~2 CALL',
      'NOT ~3 CALL ~4 OTHER ~3 TOOL',
      'IDENT ~3 UNSAFE ~8 CALL',
      '*0.5 CALL ~3 TOOL ~2 INSTEAD ~4 IDENT|OTHER',
      '*0.6 OTHER ~5 UNSAFE',
    ],
  },
];
