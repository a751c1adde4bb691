/** Rules about texts that speak to a model where none should, and about what makes other findings graver. */
import type { Rule } from '../rule.ts';

export const addressing: readonly Rule[] = [
  {
    id: 'to-the-model',
    name: 'Speaks to the assistant',
    says: 'It addresses the assistant, which a tool’s answer has no reason to do.',
    weights: { text: 0, value: 0.5, guide: 0, result: 0.7 },
    patterns: [
      'YOU ~2 MODEL !DETECT',
      'TODO ~4 MODEL',
      'NEW|TALK|ORDERS|URGENT ~3 MODEL !DETECT',
      'START+MODEL+COLON',
      'MODEL ~2 MUST',
    ],
    isSpeech: true,
  },
  {
    id: 'condition',
    name: 'Makes itself a condition',
    says: 'It says that the model has to do this before it may go on.',
    weights: { text: 0, value: 0.5, guide: 0, result: 0.6 },
    patterns: ['FIRST ~4 YOU ~4 TASK', 'MUST ~3 FOLLOW ~4 ORDERS', 'FIRST ~4 CONTENT|TASK|ANSWER ~4 MUST'],
  },
  {
    id: 'planted-task',
    name: 'Plants a task',
    says: 'It gives an order with an address or account in it, as if it were a task of the person.',
    weights: { text: 0.4, value: 0.6, guide: 0, result: 1 },
    patterns: ['TODO+COLON ~2 SEND|CHANGE|PAY|MAKE|DELETE|INCLUDE'],
  },
  {
    id: 'system-heading',
    name: 'Poses as the system',
    says: 'It poses as a message of the system or its makers.',
    weights: { text: 1, value: 1.2, guide: 0.6, result: 0.8 },
    patterns: [
      'SYSTEM+UPPER ~1 UPDATE+UPPER',
      'SYSTEM ~1 UPDATE+COLON',
      'MODEL+UPPER ~1 UPDATE+UPPER',
      'NEW+UPPER ~1 SYSTEM+UPPER',
    ],
    isSpeech: true,
  },
  {
    id: 'urgent',
    name: 'Presses',
    says: 'It presses for attention.',
    weights: { text: 0.1, value: 0.4, guide: 0, result: 0.2 },
    patterns: ['URGENT+COLON', 'URGENT+UPPER'],
  },
];
