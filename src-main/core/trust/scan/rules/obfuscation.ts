/**
 * Rules about the form of a text: characters, encodings, markup. Code finds them (hidden-characters.ts,
 * encoded-texts.ts, markup.ts), not patterns.
 */
import type { Rule } from '../rule.ts';

const form = (
  id: string,
  name: string,
  says: string,
  ...weights: [text: number, value: number, guide: number, result: number]
): Rule => {
  const [text, value, guide, result] = weights;
  return { id, name, says, weights: { text, value, guide, result }, patterns: [] };
};

export const obfuscationRules: readonly Rule[] = [
  form('tag-characters', 'Invisible letters', 'It holds letters that nobody sees and a model reads.', 2, 2, 2, 1.5),
  form(
    'selector-run',
    'Bytes in invisible marks',
    'It holds a run of invisible marks, which can spell a message.',
    2,
    2,
    2,
    1.5,
  ),
  form(
    'zero-width',
    'Zero-width characters',
    'It holds characters without width where no script needs them.',
    1.02,
    1.2,
    1.02,
    0.3,
  ),
  form(
    'direction',
    'Turned writing direction',
    'It turns the direction of writing, so that one reads something else than a model does.',
    1.2,
    1.5,
    1.2,
    0.6,
  ),
  form(
    'private-use',
    'Characters without a meaning',
    'It holds characters that have no meaning but the one agreed on.',
    1,
    1,
    1,
    0,
  ),
  form('terminal', 'Terminal codes', 'It holds codes that hide or move text in a terminal.', 1.2, 1.5, 1.2, 1),
  form('control', 'Control characters', 'It holds control characters, which no text needs.', 1, 1, 1, 0.2),
  form(
    'look-alike',
    'Look-alike letters',
    'It mixes letters of several scripts in one word, so that it looks like another one.',
    1,
    1.2,
    1,
    0.6,
  ),
  form(
    'blank-run',
    'Text pushed out of sight',
    'It pushes what follows out of sight by a long run of blanks.',
    0.8,
    1,
    0.5,
    0.3,
  ),
  form(
    'pseudo-tag',
    'Made-up tags',
    'It wraps text in tags that pose as the frame of a conversation.',
    0.9,
    1.2,
    0.2,
    1,
  ),
  form(
    'role-token',
    'Marks of a conversation',
    'It holds marks that separate the speakers of a conversation for a model.',
    1,
    1.2,
    0.8,
    1,
  ),
  form(
    'picture-leak',
    'Picture that carries data',
    'It holds a picture whose address is to be filled with data.',
    1.2,
    1.2,
    1,
    1,
  ),
  form(
    'hidden-text',
    'Text that a page does not show',
    'It gives orders in a text that a page does not show.',
    0.7,
    1,
    0.5,
    0.7,
  ),
  form('encoded', 'Encoded text', 'It holds an encoded text that gives orders or is a command.', 1, 1.2, 1, 0.6),
];
