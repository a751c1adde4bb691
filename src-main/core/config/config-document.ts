/** A config text while it is read: its tree, and the problems found so far with their positions. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { ConfigProblem } from './app-config.ts';

interface ProblemDetails {
  readonly suggestion?: string | undefined;
  /** The server this problem belongs to. */
  readonly server?: string | undefined;
}

export class ConfigDocument {
  /** The tree; undefined if the text is not JSONC, and `problems` then says why. */
  readonly root: Node | undefined;
  readonly problems: ConfigProblem[] = [];
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#file = file;
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    const errors: ParseError[] = [];
    const root = parseTree(this.#text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined && root?.type === 'object') this.root = root;
    else if (first === undefined || root === undefined) this.#reportShape(root);
    else this.#reportSyntax(first);
  }

  /** Reports a problem at a node. `path`: keys and list positions. */
  report(
    severity: ConfigProblem['severity'],
    at: Node,
    path: readonly PropertyKey[],
    reason: string,
    details: ProblemDetails = {},
  ): void {
    this.#add(severity, at.offset, pathText(path), reason, details);
  }

  #reportShape(root: Node | undefined): void {
    const reason = root === undefined ? 'The file is empty.' : `The file contains ${root.type}; an object is expected.`;
    this.#add('error', root?.offset ?? 0, '', reason, { suggestion: 'Start with { "servers": { } }.' });
  }

  // Reports only the first error, because the others usually follow from it.
  #reportSyntax(error: ParseError): void {
    const rest = this.#text.slice(this.#text.lastIndexOf('\n', error.offset) + 1, error.offset + 1);
    const signs = signTexts.find(({ pattern }) => pattern.test(rest))?.text;
    const known = signs ?? syntaxTexts[printParseErrorCode(error.error)];
    const [reason, suggestion] = known ?? ['This is not valid JSON.', undefined];
    this.#add('error', error.offset, '', reason, { suggestion });
  }

  #add(
    severity: ConfigProblem['severity'],
    offset: number,
    path: string,
    reason: string,
    details: ProblemDetails,
  ): void {
    const lines = this.#text.slice(0, offset).split(/\r\n|\r|\n/);
    const place = { file: this.#file, line: lines.length, column: (lines.at(-1) ?? '').length + 1, path };
    const server = details.server === undefined ? {} : { server: details.server };
    this.problems.push({ severity, ...place, reason, suggestion: details.suggestion, ...server });
  }
}

/** For example `servers.github.args[0]`; keys with other characters are quoted. */
function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^[\w$-]+$/.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(String(step))}]`;
  });
  return steps.join('').replace(/^\./, '');
}

type SyntaxText = readonly [reason: string, suggestion: string];

/** Problem and fix for a syntax error, by the line up to the faulty character. */
const signTexts: readonly { readonly pattern: RegExp; readonly text: SyntaxText }[] = [
  {
    pattern: /^(?:<{7}|={7}|>{7})|^[<=>]{1,7}$/,
    text: [
      'The file contains a merge conflict.',
      'Keep one of the two versions, and remove the lines with <<<<<<<, ======= and >>>>>>>.',
    ],
  },
  { pattern: /[“”„‘’]/, text: ['Curly quotes are used where JSON needs straight quotes.', 'Use " instead.'] },
  { pattern: /'$/, text: ['Single quotes are used where JSON needs double quotes.', 'Use " instead.'] },
];

/** Problem and fix for a syntax error, by the parser's error name. */
const syntaxTexts: Record<string, SyntaxText> = {
  InvalidSymbol: ['Unexpected token in JSON.', 'Put strings and keys in double quotes.'],
  InvalidNumberFormat: ['This is not a valid JSON number.', 'Write it as 12 or 1.5.'],
  PropertyNameExpected: ['A key in double quotes is expected here.', 'Check for an extra comma.'],
  ValueExpected: ['A value is missing here.', 'Add the value, or remove the key or the comma before it.'],
  ColonExpected: ['A colon is missing between key and value.', 'Write "key": value.'],
  CommaExpected: ['A comma is missing.', 'Put a comma after the value before this one.'],
  CloseBraceExpected: ['An object is not closed.', 'Add the missing }.'],
  CloseBracketExpected: ['A list is not closed.', 'Add the missing ].'],
  EndOfFileExpected: ['Unexpected content after the end of the JSON value.', 'Remove what follows the last }.'],
  UnexpectedEndOfComment: ['A comment is not closed.', 'Add the missing */.'],
  UnexpectedEndOfString: ['A string is not closed on its line.', 'Add the missing double quote.'],
  InvalidEscapeCharacter: ['This backslash does not start a valid escape sequence.', 'Write \\\\ for one backslash.'],
  InvalidUnicode: ['A \\u escape is not four hexadecimal digits.', 'Write it as \\u00e9.'],
  InvalidCharacter: ['Unescaped control character in a string.', 'Write it as an escape such as \\t.'],
};
