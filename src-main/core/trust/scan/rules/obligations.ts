/** Rules about what a text wants the model to do besides what the tool is for. */
import type { Rule } from '../rule.ts';

export const obligations: readonly Rule[] = [
  {
    id: 'other-tool',
    name: 'Obliges to use another tool',
    says: 'It wants another tool to be used before or together with this one.',
    weights: { text: 0.5, value: 1.2, guide: 0.2, result: 0.8 },
    patterns: [
      'FIRST ~3 CALL ~4 IDENT',
      'MUST ~4 CALL ~4 IDENT',
      'START+CALL ~3 IDENT ~4 FIRST',
      'CALL ~4 IDENT ~4 FIRST ~4 CALL',
      'CALL ~3 IDENT ~2 TOOL',
    ],
  },
  {
    id: 'extra-step',
    name: 'Adds a step of its own',
    says: 'It makes something else a condition: before, after or together with the call the model is to do more.',
    weights: { text: 0.6, value: 1.2, guide: 0.3, result: 0.8 },
    patterns: [
      'FIRST ~4 CALL ~4 TOOL ~8 MUST ~4 READ|SEND|CALL|INCLUDE',
      'WHEN ~8 MUST ~3 FIRST ~3 READ|SEND|CALL',
      'MUST ~3 FIRST ~4 READ|SEND',
      'FIRST ~2 SEND ~8 URL|MAIL|OUTSIDE|IDENT',
      'WHEN ~10 FIRST ~3 SEND|READ|CALL',
      'FIRST ~8 TOOL ~6 READ ~6 PATH|SECRET|CONTENT',
      'WHEN ~5 CALL ~6 ALWAYS ~3 SEND|READ|CALL',
      'WHEN ~4 CALL ~5 SEND|READ ~8 WHOLE|SECRET|PATH|TALK',
    ],
  },
  {
    id: 'rewrites-calls',
    name: 'Changes other tools’ calls',
    says: 'It changes how another tool is called, or what is given to it.',
    weights: { text: 1.2, value: 1.5, guide: 1, result: 1 },
    patterns: [
      'CHANGE ~4 ASIF|PRETEND ~4 IDENT',
      'WHEN ~5 IDENT ~6 CALL ~6 CHANGE|SEND|INCLUDE|FIRST|MAIL|OUTSIDE',
      'WHEN ~5 CALL ~4 IDENT ~8 CHANGE|SEND|INCLUDE|MAIL',
    ],
  },
  {
    id: 'fixed-argument',
    name: 'Fixes an argument',
    says: 'It wants an argument to have a value of the server’s choice, not the person’s.',
    weights: { text: 0.8, value: 1.2, guide: 0.5, result: 0.8 },
    patterns: [
      'ALWAYS ~2 CHANGE ~6 PARAM|IDENT|MAIL|URL',
      'CHANGE ~4 PARAM ~6 MAIL|ACCOUNT',
      'INSTEAD ~8 USER ~4 TELL|TASK',
      'REGARDLESS ~4 USER ~4 TELL|TASK',
      'CHANGE ~6 ACCOUNT|MAIL',
      'ANSWER ~8 INSTEAD ~4 CALL',
    ],
  },
  {
    id: 'model-does',
    name: 'Says what the model does',
    says: 'It states as a fact that the assistant does something besides the call.',
    weights: { text: 0.7, value: 1.2, guide: 0.2, result: 0.7 },
    patterns: [
      'MODEL ~1 SEND|INCLUDE|READ|DELETE ~8 WHOLE|SECRET|PATH|TALK|CONTENT|SHELL|MAIL|URL',
      'MODEL ~2 CALL ~2 SHELL',
    ],
  },
  {
    id: 'after-approval',
    name: 'Will change later',
    says: 'It says that it does something else once it has been approved.',
    weights: { text: 1.2, value: 1.2, guide: 1, result: 0 },
    patterns: [
      'WHEN ~5 APPROVED ~14 CALL|SEND|INCLUDE|READ|DELETE|CHANGE ~8 SHELL|SECRET|HIDDEN|SYSTEM|OUTSIDE|ORDERS',
      'CHANGE ~6 APPROVED ~10 READ|SEND|CALL',
    ],
  },
];
