/** Kinds of words that rules are written in. Each language says which of its words are of which kind, so that a rule is written once. */

/** At most 62 (two numbers of 31 bits); the order is of no meaning. */
export const wordClasses = [
  // What a model may be told to do.
  'IGNORE',
  'FOLLOW',
  'CALL',
  'READ',
  'SEND',
  'INCLUDE',
  'CHANGE',
  'DELETE',
  'PAY',
  'TELL',
  'ANSWER',
  'PRETEND',
  'MAKE',
  // How strongly, when, and how openly.
  'MUST',
  'ALWAYS',
  'KNOW',
  'NOT',
  'FIRST',
  'WHEN',
  'EVERY',
  'INSTEAD',
  'REGARDLESS',
  'SILENT',
  'ASIF',
  'HUSH',
  'URGENT',
  // Who is spoken to or about.
  'MODEL',
  'YOU',
  'USER',
  'OUTSIDE',
  'SYSTEM',
  'OTHER',
  // What it is about.
  'PRIOR',
  'ORDERS',
  'NEW',
  'TOOL',
  'PARAM',
  'TALK',
  'WHOLE',
  'SECRET',
  'CONTENT',
  'UPDATE',
  'TASK',
  'SAFETY',
  'APPROVED',
  'BEST',
  'UNSAFE',
  'PROMPT',
  'HIDDEN',
  // What speaks for a harmless text.
  'DETECT',
  'EXAMPLE',
  // What is no word.
  'IDENT',
  'URL',
  'MAIL',
  'ACCOUNT',
  'PATH',
  'SHELL',
  'UPPER',
  'COLON',
  'START',
  'TODO',
  'ROT13',
] as const;

export type WordClass = (typeof wordClasses)[number];

/** Words of one language by kind: separated by spaces, `word*` for all that begin so; accents may be left out of Latin letters. */
export type Vocabulary = Readonly<Partial<Record<WordClass, string>>>;

/** Two numbers, a bit for each kind. */
export interface ClassBits {
  readonly low: number;
  readonly high: number;
}

const half = 31;

export function bitsOf(name: WordClass): ClassBits {
  const at = wordClasses.indexOf(name);
  return at < half ? { low: 1 << at, high: 0 } : { low: 0, high: 1 << (at - half) };
}
