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
  form('tag-characters', 'Invisible letters', 'It contains invisible letters that a model reads.', 2, 2, 2, 1.5),
  form(
    'selector-run',
    'Data in invisible characters',
    'It contains a run of invisible characters, which can encode a message.',
    2,
    2,
    2,
    1.5,
  ),
  form(
    'zero-width',
    'Zero-width characters',
    'It contains zero-width characters where no script needs them.',
    1.02,
    1.2,
    1.02,
    0.3,
  ),
  form(
    'direction',
    'Reversed writing direction',
    'It changes the writing direction, so that the user reads something different from the model.',
    1.2,
    1.5,
    1.2,
    0.6,
  ),
  form(
    'private-use',
    'Private-use characters',
    'It contains private-use characters, which have no standard meaning.',
    1,
    1,
    1,
    0,
  ),
  form('terminal', 'Terminal codes', 'It contains codes that hide or move text in a terminal.', 1.2, 1.5, 1.2, 1),
  form('control', 'Control characters', 'It contains control characters, which no text needs.', 1, 1, 1, 0.2),
  form(
    'look-alike',
    'Look-alike letters',
    'It mixes letters of several scripts in one word, so that it looks like a different word.',
    1,
    1.2,
    1,
    0.6,
  ),
  form(
    'blank-run',
    'Text pushed out of view',
    'It pushes the following text out of view with a long run of blanks.',
    0.8,
    1,
    0.5,
    0.3,
  ),
  form(
    'pseudo-tag',
    'Made-up tags',
    'It wraps text in tags that imitate the structure of a conversation.',
    0.9,
    1.2,
    0.2,
    1,
  ),
  form(
    'role-token',
    'Conversation markers',
    'It contains markers that separate the speakers of a conversation for a model.',
    1,
    1.2,
    0.8,
    1,
  ),
  form(
    'picture-leak',
    'Image that carries data',
    'It contains an image whose address is filled with data.',
    1.2,
    1.2,
    1,
    1,
  ),
  form(
    'hidden-text',
    'Hidden text in a page',
    'It contains instructions in text that a page does not show.',
    0.7,
    1,
    0.5,
    0.7,
  ),
  form('encoded', 'Encoded text', 'It contains encoded text with instructions or a command.', 1, 1.2, 1, 0.6),
];
