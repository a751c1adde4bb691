/** Rules about texts that want to be obeyed instead of the person. */
import type { Rule } from '../rule.ts';

export const overriding: readonly Rule[] = [
  {
    id: 'override',
    name: 'Overrides instructions',
    says: 'It tells the model to set aside the instructions it was given.',
    weights: { text: 2, value: 2, guide: 2, result: 1.2 },
    patterns: [
      'IGNORE ~4 PRIOR ~4 ORDERS !EXAMPLE',
      'IGNORE ~4 PRIOR ~4 ORDERS',
      '&6 IGNORE PRIOR ORDERS',
      'START+IGNORE ~2 PRIOR ~2 PRIOR',
      'IGNORE ~4 SYSTEM|SAFETY ~3 ORDERS|PROMPT',
      'IGNORE ~5 USER ~4 TELL|TASK|ORDERS',
      'NOT ~2 FOLLOW ~4 PRIOR|USER ~4 ORDERS',
      'FOLLOW ~4 NEW ~3 ORDERS ~4 INSTEAD',
    ],
    isSpeech: true,
  },
  {
    id: 'adhere',
    name: 'Demands obedience',
    says: 'It demands that the model follow instructions which stand in this text.',
    weights: { text: 1, value: 1.5, guide: 0.3, result: 1 },
    patterns: ['MUST ~3 FOLLOW ~4 ORDERS', 'FOLLOW ~4 NEW ~2 ORDERS', 'SYSTEM ~3 ORDERS ~3 FOLLOW'],
    isSpeech: true,
  },
  {
    id: 'reveal-prompt',
    name: 'Asks for the system prompt',
    says: 'It asks the model to give away its system prompt or instructions.',
    weights: { text: 1.2, value: 1.5, guide: 1, result: 1 },
    patterns: [
      'TELL|ANSWER|SEND|INCLUDE ~5 SYSTEM ~2 PROMPT|ORDERS !EXAMPLE',
      'TELL|ANSWER|SEND|INCLUDE ~4 YOU ~3 PROMPT|ORDERS',
    ],
    isSpeech: true,
  },
  {
    id: 'role-change',
    name: 'Changes the model’s role',
    says: 'It tells the model that it is something else now, or has no limits.',
    weights: { text: 1.5, value: 1.5, guide: 0.8, result: 1 },
    patterns: [
      'YOU ~2 NEW ~3 SYSTEM|MODEL',
      'YOU ~5 SYSTEM ~1 UPDATE',
      'NOT ~4 SAFETY ~3 SAFETY|ORDERS',
      'NOT ~3 ORDERS ~3 SAFETY',
      'IGNORE ~4 SAFETY ~2 SAFETY',
      'FOLLOW ~4 EVERY ~4 TASK ~5 NOT',
    ],
    isSpeech: true,
  },
];
