/** Kinds of words that rules refer to. Each language maps its words to kinds, so that a rule is written once. */
import english from './words/english.json' with { type: 'json' };

/** Kinds determined by form instead of a vocabulary. */
const formKinds = ['IDENT', 'URL', 'MAIL', 'ACCOUNT', 'PATH', 'SHELL', 'UPPER', 'COLON', 'START'] as const;

export type WordKind = keyof typeof english | (typeof formKinds)[number];

const wordKinds: ReadonlySet<string> = new Set([...Object.keys(english), ...formKinds]);

export function isWordKind(name: string): name is WordKind {
  return wordKinds.has(name);
}
