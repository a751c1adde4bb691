/** Rules about what is taken from the person and where it goes. */
import type { Rule } from '../rule.ts';

export const taking: readonly Rule[] = [
  {
    id: 'sensitive-file',
    name: 'Speaks of a file with secrets',
    says: 'It names a file that usually holds keys or passwords.',
    weights: { text: 0.8, value: 0.8, guide: 0.6, result: 0.3 },
    patterns: ['READ|SEND|INCLUDE|CONTENT|ANSWER|CALL ~8 PATH', '*0.8 PATH ~8 READ|SEND|INCLUDE'],
    isSpeech: true,
  },
  {
    id: 'take-secret',
    name: 'Takes secrets along',
    says: 'It wants passwords, keys or private files to be passed on.',
    weights: { text: 1, value: 1.2, guide: 0.8, result: 0.8 },
    patterns: [
      'SEND|INCLUDE ~6 PATH',
      'PATH ~8 INCLUDE|SEND ~8 PARAM|OUTSIDE|URL|MAIL',
      'SEND ~5 SECRET ~6 OUTSIDE|URL|MAIL',
      'READ ~6 SECRET|PATH ~8 INCLUDE|SEND',
      'READ ~6 PATH ~6 PARAM',
    ],
    isSpeech: true,
  },
  {
    id: 'take-talk',
    name: 'Takes the conversation along',
    says: 'It wants the conversation, or the model’s instructions, handed over as an argument or sent away.',
    weights: { text: 1, value: 1.2, guide: 0.8, result: 1 },
    patterns: [
      'SEND|INCLUDE ~4 WHOLE ~4 TALK',
      'SEND ~5 TALK ~5 OUTSIDE|URL|MAIL',
      'INCLUDE ~6 TALK ~5 PARAM',
      'WHOLE ~1 TALK ~3 TALK',
    ],
  },
  {
    id: 'model-identity',
    name: 'Asks who the model is',
    says: 'A parameter asks for the model’s own name or instructions, which no tool needs.',
    weights: { text: 1, value: 1, guide: 0.5, result: 0.2 },
    patterns: ['MODEL ~2 TOOL|NEW'],
  },
  {
    id: 'send-out',
    name: 'Sends something to an address',
    says: 'It wants data sent to an address that stands in the text.',
    weights: { text: 1, value: 1.2, guide: 0.7, result: 0.7 },
    patterns: [
      'SEND ~6 WHOLE|CONTENT|TALK|SECRET|PATH ~8 URL|MAIL|OUTSIDE',
      'SEND ~4 WHOLE ~4 OUTSIDE',
      'SEND ~10 MAIL',
      '*0.7 SEND ~10 URL',
      'CONTENT|WHOLE ~4 SEND ~6 URL|MAIL|OUTSIDE',
    ],
    isSpeech: true,
  },
  {
    id: 'account',
    name: 'Names an account',
    says: 'It names a bank account or a wallet.',
    weights: { text: 0.8, value: 0.8, guide: 0.8, result: 0 },
    patterns: ['ACCOUNT'],
  },
  {
    id: 'pay-account',
    name: 'Wants money moved',
    says: 'It wants money moved to an account that stands in the text.',
    weights: { text: 0.8, value: 1, guide: 0.8, result: 0.8 },
    patterns: ['PAY|SEND|CHANGE ~16 ACCOUNT'],
  },
  {
    id: 'shell-command',
    name: 'Contains a command',
    says: 'It contains a command line that downloads, deletes or starts something.',
    weights: { text: 1, value: 1, guide: 0.6, result: 0.1 },
    patterns: ['SHELL'],
    isSpeech: true,
  },
];
