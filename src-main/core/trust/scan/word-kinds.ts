/** Kinds of words that rules are written in. Each language says which of its words are of which kind, so that a rule is written once. */

export const wordKinds = [
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

export type WordKind = (typeof wordKinds)[number];

/** Words of one language by kind: separated by spaces, `word*` for all that begin so; accents may be left out of Latin letters. */
export type Vocabulary = Readonly<Partial<Record<WordKind, string>>>;

export function isWordKind(name: string): name is WordKind {
  return (wordKinds as readonly string[]).includes(name);
}
