/** Rules about the form of a text: characters, codes, markup. Code finds them (characters.ts, decode.ts, markup.ts), not patterns. */
import type { Rule } from '../rule.ts';

const form = (id: string, name: string, says: string, weights: Rule['weights']): Rule => ({
  id,
  name,
  says,
  weights,
  patterns: [],
});

export const formRules: readonly Rule[] = [
  form('tag-characters', 'Invisible letters', 'It holds letters that nobody sees and a model reads.', {
    text: 2,
    value: 2,
    guide: 2,
    result: 1.5,
  }),
  form('selector-run', 'Bytes in invisible marks', 'It holds a run of invisible marks, which can spell a message.', {
    text: 2,
    value: 2,
    guide: 2,
    result: 1.5,
  }),
  form('zero-width', 'Zero-width characters', 'It holds characters without width where no script needs them.', {
    text: 1.02,
    value: 1.2,
    guide: 1.02,
    result: 0.3,
  }),
  form(
    'direction',
    'Turned writing direction',
    'It turns the direction of writing, so that one reads something else than a model does.',
    { text: 1.2, value: 1.5, guide: 1.2, result: 0.6 },
  ),
  form(
    'private-use',
    'Characters without a meaning',
    'It holds characters that have no meaning but the one agreed on.',
    { text: 1, value: 1, guide: 1, result: 0 },
  ),
  form('terminal', 'Terminal codes', 'It holds codes that hide or move text in a terminal.', {
    text: 1.2,
    value: 1.5,
    guide: 1.2,
    result: 1,
  }),
  form('control', 'Control characters', 'It holds control characters, which no text needs.', {
    text: 1,
    value: 1,
    guide: 1,
    result: 0.2,
  }),
  form(
    'look-alike',
    'Look-alike letters',
    'It mixes letters of several scripts in one word, so that it looks like another one.',
    { text: 1, value: 1.2, guide: 1, result: 0.6 },
  ),
  form('blank-run', 'Text pushed out of sight', 'It pushes what follows out of sight by a long run of blanks.', {
    text: 0.8,
    value: 1,
    guide: 0.5,
    result: 0.3,
  }),
  form('pseudo-tag', 'Made-up tags', 'It wraps text in tags that pose as the frame of a conversation.', {
    text: 0.9,
    value: 1.2,
    guide: 0.2,
    result: 1,
  }),
  form(
    'role-token',
    'Marks of a conversation',
    'It holds marks that separate the speakers of a conversation for a model.',
    { text: 1, value: 1.2, guide: 0.8, result: 1 },
  ),
  form('picture-leak', 'Picture that carries data', 'It holds a picture whose address is to be filled with data.', {
    text: 1.2,
    value: 1.2,
    guide: 1,
    result: 1,
  }),
  form('hidden-text', 'Text that a page does not show', 'It gives orders in a text that a page does not show.', {
    text: 0.7,
    value: 1,
    guide: 0.5,
    result: 0.7,
  }),
  form('encoded', 'Encoded text', 'It holds an encoded text that gives orders or is a command.', {
    text: 1,
    value: 1.2,
    guide: 1,
    result: 0.6,
  }),
];
