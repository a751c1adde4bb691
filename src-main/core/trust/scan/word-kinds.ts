/**
 * Kinds of words that rules are written in. Each language says which of its words are of which kind, so that a rule is
 * written once.
 */
import english from './words/english.json' with { type: 'json' };

/** Kinds that are found by form and not in a vocabulary. */
const formKinds = ['IDENT', 'URL', 'MAIL', 'ACCOUNT', 'PATH', 'SHELL', 'UPPER', 'COLON', 'START'] as const;

export type WordKind = keyof typeof english | (typeof formKinds)[number];

const wordKinds: ReadonlySet<string> = new Set([...Object.keys(english), ...formKinds]);

export function isWordKind(name: string): name is WordKind {
  return wordKinds.has(name);
}
