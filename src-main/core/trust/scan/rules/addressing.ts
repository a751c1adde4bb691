/** Rules about texts that speak to a model where none should, and about what makes other findings graver. */
import type { Rule } from '../rule.ts';

export const addressing: readonly Rule[] = [
  {
    id: 'to-the-model',
    name: 'Speaks to the assistant',
    says: 'It addresses the assistant, which such a text has no reason to do.',
    weights: { text: 0.2, value: 0.5, name: 0, guide: 0, result: 0.6 },
    patterns: [
      'YOU ~2 MODEL !DETECT',
      'TODO ~4 MODEL',
      'TALK|URGENT|PARAM ~3 MODEL+COLON',
      'START+MODEL+COLON',
      'MODEL ~4 MUST',
      'START ~1 MODEL+COLON',
      'ORDERS ~2 MODEL',
    ],
    isSpeech: true,
  },
  {
    id: 'condition',
    name: 'Makes itself a condition',
    says: 'It says that the model has to do this before it may go on.',
    weights: { text: 0, value: 0.5, name: 0, guide: 0, result: 0.6 },
    patterns: [
      'FIRST ~4 YOU ~4 TASK',
      'MUST ~3 FOLLOW ~4 ORDERS',
      'FIRST ~4 CONTENT|TASK|ANSWER ~4 MUST',
      'CONTENT|ANSWER ~4 MUST ~2 FIRST',
    ],
  },
  {
    id: 'planted-task',
    name: 'Plants a task',
    says: 'It gives an order as if it were a task of the person.',
    weights: { text: 0.4, value: 0.6, name: 0, guide: 0, result: 1 },
    patterns: [
      'TODO+COLON ~2 SEND|CHANGE|PAY|MAKE|DELETE|INCLUDE|READ ~16 URL|MAIL|ACCOUNT|USER|SECRET|PAY|TALK',
      '*0.5 TODO+COLON ~2 SEND|CHANGE|PAY|MAKE|DELETE|INCLUDE',
      '*1 TODO+COLON ~10 MUST ~2 SEND|PAY|CHANGE|DELETE',
    ],
  },
  {
    id: 'system-heading',
    name: 'Poses as the system',
    says: 'It poses as a message of the system or its makers.',
    weights: { text: 0.8, value: 1, name: 0, guide: 0.5, result: 0.7 },
    patterns: [
      'SYSTEM+UPPER ~1 UPDATE|IGNORE+UPPER',
      'SYSTEM ~1 UPDATE+COLON',
      'MODEL+UPPER ~1 UPDATE+UPPER',
      'NEW+UPPER ~1 SYSTEM+UPPER',
      '*0.7 START+SYSTEM+COLON',
      'SYSTEM+UPPER ~1 IGNORE',
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
  {
    id: 'imperative',
    name: 'Gives an order',
    says: 'It gives an order in the midst of data.',
    weights: { text: 0, value: 0, name: 0, guide: 0, result: 0.3 },
    patterns: [
      'SEND|PAY|DELETE|MAKE+START ~12 URL|MAIL|ACCOUNT',
      'CHANGE|SEND+START ~3 SECRET',
      '*1.3 CALL ~3 IDENT ~1 TOOL ~4 CHANGE|SEND|DELETE|PAY|INCLUDE|READ',
    ],
  },
];
