/** Rules about keeping something from the person. */
import type { Rule } from '../rule.ts';

export const hiding: readonly Rule[] = [
  {
    id: 'conceal',
    name: 'Hides something from the person',
    says: 'It tells the model not to let the person know.',
    weights: { text: 1.2, value: 1.5, name: 0.6, guide: 0.8, result: 0.8 },
    patterns: [
      'NOT ~1 TELL ~6 USER',
      '*0.7 NOT ~2 TELL ~2 ORDERS|TASK',
      '*0.7 USER ~1 NOT ~1 KNOW !WHEN',
      'NOT ~2 TELL ~4 USER',
      'NOT ~4 TELL ~2 USER',
      'NOT ~2 TELL ~2 PRIOR ~1 ORDERS',
      'NOT ~2 TELL ~2 YOU ~3 READ|SEND|CALL|INCLUDE',
      'START+TELL ~3 USER ~1 NOT',
      'USER ~3 NOT ~2 TELL ~1 CONTENT',
      'NOT ~3 MUST ~3 TELL',
      'USER ~2 NOT ~2 MUST ~2 KNOW',
      'USER ~1 NOT ~1 KNOW ~1 OUTSIDE',
      '*0.8 NOT ~1 USER ~3 KNOW',
      'HUSH',
      'NOT ~1 TELL ~1 EVERY|NOT|USER',
      'USER ~3 NOT ~1 TELL !WHEN',
    ],
    isSpeech: true,
  },
  {
    id: 'silently',
    name: 'Works in secret',
    says: 'It wants something done silently.',
    weights: { text: 0.7, value: 1, name: 0.3, guide: 0.7, result: 0.6 },
    patterns: ['&4 SILENT SEND|INCLUDE|READ|CALL|CHANGE|DELETE !DETECT', 'HIDDEN ~2 ORDERS'],
    isSpeech: true,
  },
  {
    id: 'disguise',
    name: 'Disguises what is done',
    says: 'It wants what is done to look like something else.',
    weights: { text: 0.6, value: 0.8, name: 0.2, guide: 0.5, result: 0.4 },
    patterns: ['ASIF'],
    isSpeech: true,
  },
  {
    id: 'without-asking',
    name: 'Leaves the person out',
    says: 'It wants something done without asking the person.',
    weights: { text: 0.5, value: 0.8, name: 0.3, guide: 0.4, result: 0.5 },
    patterns: [
      'NOT ~1 KNOW ~3 USER|APPROVED',
      'NOT ~2 USER ~1 APPROVED',
      'USER ~3 APPROVED ~2 EVERY',
      'USER ~1 NOT ~1 KNOW',
    ],
    isSpeech: true,
  },
];
