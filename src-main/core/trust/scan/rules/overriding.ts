/** Rules about texts that want to be obeyed instead of the person. */
import type { Rule } from '../rule.ts';

export const overriding: readonly Rule[] = [
  {
    id: 'override',
    name: 'Overrides instructions',
    says: 'It tells the model to set aside the instructions it was given.',
    weights: { text: 2, value: 2, guide: 2, result: 1.2 },
    patterns: [
      'IGNORE ~4 PRIOR ~4 ORDERS',
      '&5 IGNORE PRIOR ORDERS',
      'START+IGNORE ~2 PRIOR ~4 PRIOR|FIRST|TELL',
      '*0.7 START+IGNORE ~2 PRIOR ~3 DELETE|SEND|CALL|TELL|READ',
      '*0.7 IGNORE ~3 SYSTEM|SAFETY ~2 ORDERS|PROMPT|SAFETY',
      'IGNORE ~5 USER ~3 TASK|ORDERS',
      'NOT ~2 FOLLOW ~4 PRIOR|USER ~4 ORDERS',
      'ORDERS ~3 IGNORE ~4 NEW ~2 ORDERS',
      '*0.5 IGNORE ~3 TASK ~3 USER|TASK',
    ],
    isSpeech: true,
  },
  {
    id: 'adhere',
    name: 'Demands obedience',
    says: 'It demands that the model follow instructions which stand in this text.',
    weights: { text: 0.7, value: 1.2, guide: 0.3, result: 0.8 },
    patterns: [
      'MUST ~3 FOLLOW ~4 ORDERS',
      'FOLLOW ~4 NEW|BEST ~2 ORDERS',
      'SYSTEM ~3 ORDERS ~3 FOLLOW',
      'PRIOR ~1 NEW ~1 TASK|ORDERS',
      'NEW ~2 MUST|BEST ~3 FOLLOW',
    ],
    isSpeech: true,
  },
  {
    id: 'reveal-prompt',
    name: 'Asks for the system prompt',
    says: 'It asks the model to give away its system prompt or instructions.',
    weights: { text: 1.2, value: 1.5, guide: 1, result: 1 },
    patterns: [
      'TELL|ANSWER|SEND ~4 SYSTEM ~1 PROMPT|ORDERS',
      'INCLUDE ~2 WHOLE|PRIOR ~1 SYSTEM ~1 PROMPT',
      'TELL|ANSWER|SEND ~2 PRIOR ~1 ORDERS',
    ],
    isSpeech: true,
  },
  {
    id: 'role-change',
    name: 'Changes the model’s role',
    says: 'It tells the model that it is something else now, or has no limits.',
    weights: { text: 1.5, value: 1.5, guide: 0.8, result: 1 },
    patterns: [
      'YOU ~2 NEW ~4 SYSTEM|MODEL',
      'YOU ~5 SYSTEM ~1 UPDATE',
      '*0.7 NOT ~2 SAFETY ~1 SAFETY',
      '*0.7 MODEL ~2 NOT ~2 ORDERS',
      'FOLLOW ~4 EVERY ~4 TASK ~5 NOT',
    ],
    isSpeech: true,
  },
];
