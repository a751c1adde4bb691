/** Rules about keeping something from the person. */
import type { Rule } from '../rule.ts';

export const hiding: readonly Rule[] = [
  {
    id: 'conceal',
    name: 'Hides something from the person',
    says: 'It tells the model not to let the person know.',
    weights: { text: 1.2, value: 1.5, guide: 0.8, result: 0.8 },
    patterns: [
      'NOT|NEVER ~3 TELL ~5 USER|ORDERS',
      'NOT ~2 TELL ~2 YOU ~3 READ|SEND|CALL|INCLUDE',
      'NOT ~4 USER ~4 TELL',
      'USER ~3 NOT ~3 TELL',
      'NOT|NEVER ~3 TELL ~4 HIDDEN|SYSTEM|SECRET',
      'NOT ~3 MUST ~3 TELL',
      '*0.8 NOT|NEVER ~2 TELL ~3 IDENT|TOOL|READ|SEND',
    ],
    isSpeech: true,
  },
  {
    id: 'silently',
    name: 'Works in secret',
    says: 'It wants something done silently.',
    weights: { text: 0.7, value: 1, guide: 0.7, result: 0.7 },
    patterns: ['&4 SILENT SEND|INCLUDE|READ|CALL|CHANGE !DETECT', 'HIDDEN ~2 ORDERS|TASK'],
    isSpeech: true,
  },
  {
    id: 'disguise',
    name: 'Disguises what is done',
    says: 'It wants what is done to look like something else.',
    weights: { text: 1, value: 1, guide: 0.8, result: 0.8 },
    patterns: ['ASIF ~4 ASIF', 'INCLUDE ~10 ASIF ~4 PRIOR|SYSTEM'],
  },
];
