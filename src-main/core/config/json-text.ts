/** A JSONC text that is about to be edited: its tree, and how its author lays it out. */
import { createScanner, type Node, parseTree, type ParseError } from 'jsonc-parser';

/** SyntaxKind of jsonc-parser, whose const enum cannot be imported under isolatedModules. */
const kinds = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, blank: 15, end: 17 } as const;

export interface Trivia {
  readonly kind: 'comma' | 'comment' | 'line break' | 'blank' | 'other';
  readonly start: number;
  readonly end: number;
}

export class JsonText {
  readonly text: string;
  /** Undefined when the text is not JSONC; also for an empty text. */
  readonly root: Node | undefined;
  readonly isEmpty: boolean;
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;

  constructor(text: string) {
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { allowTrailingComma: true });
    this.text = text;
    this.root = errors.length === 0 ? root : undefined;
    this.isEmpty =
      root === undefined && this.tokens(0, text.length).every(({ kind }) => kind !== 'other' && kind !== 'comma');
    this.eol = /\r?\n/.exec(text)?.[0] ?? '\n';
    // Lines that begin with `*` belong to a block comment.
    this.unit = /^(?:\t| +)(?=[^\s*/])/m.exec(text)?.[0] ?? '  ';
  }

  /** What stands between two places outside of values. A line comment does not include its line break. */
  tokens(start: number, end: number): Trivia[] {
    const scanner = createScanner(this.text);
    scanner.setPosition(start);
    const found: Trivia[] = [];
    for (
      let kind: number = scanner.scan();
      kind !== kinds.end && scanner.getTokenOffset() < end;
      kind = scanner.scan()
    ) {
      found.push({ kind: triviaKind(kind), start: scanner.getTokenOffset(), end: scanner.getPosition() });
    }
    return found;
  }

  /** Where the line of an offset begins. */
  lineStart(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** The white space that the line of an offset begins with. */
  indentOf(offset: number): string {
    return /[ \t]*/.exec(this.text.slice(this.lineStart(offset), offset))?.[0] ?? '';
  }

  /** Whether an offset is the first thing on its line. */
  isFirstOnLine(offset: number): boolean {
    return this.text.slice(this.lineStart(offset), offset).trim() === '';
  }

  isOnOneLine(node: Node): boolean {
    return !this.text.slice(node.offset, endOf(node)).includes('\n');
  }
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

function triviaKind(kind: number): Trivia['kind'] {
  if (kind === kinds.comma) return 'comma';
  if (kind === kinds.lineComment || kind === kinds.blockComment) return 'comment';
  if (kind === kinds.lineBreak) return 'line break';
  return kind === kinds.blank ? 'blank' : 'other';
}
