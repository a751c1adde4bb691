/** A JSONC text to edit: its tree, and its layout. */
import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser';

/** SyntaxKind of jsonc-parser, whose const enum cannot be imported with isolatedModules. */
const kinds = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, blank: 15, end: 17 } as const;

interface Trivia {
  readonly kind: 'comma' | 'comment' | 'line break' | 'blank' | 'other';
  readonly start: number;
  readonly end: number;
}

export class JsoncText {
  readonly text: string;
  /** Undefined if the text is not JSONC, or empty. */
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
    // Lines that begin with `*` are inside of block comments.
    this.unit = /^(?:\t| +)(?=[^\s*/])/m.exec(text)?.[0] ?? '  ';
  }

  /** Returns the tokens between two offsets that are outside values. A line comment excludes its line break. */
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

  /** Returns the offset at which the line begins. */
  lineStart(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** The indentation of the line at an offset. */
  indentOf(offset: number): string {
    return /[ \t]*/.exec(this.text.slice(this.lineStart(offset), offset))?.[0] ?? '';
  }

  /** Whether only white space precedes an offset on its line. */
  isFirstOnLine(offset: number): boolean {
    return this.text.slice(this.lineStart(offset), offset).trim() === '';
  }

  isOnOneLine(node: Node): boolean {
    return !this.text.slice(node.offset, endOf(node)).includes('\n');
  }
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function triviaKind(kind: number): Trivia['kind'] {
  if (kind === kinds.comma) return 'comma';
  if (kind === kinds.lineComment || kind === kinds.blockComment) return 'comment';
  if (kind === kinds.lineBreak) return 'line break';
  return kind === kinds.blank ? 'blank' : 'other';
}

/** Reads nodes of jsonc-parser as plain values, with keys such as `__proto__` treated like any other. */
export interface Property {
  readonly key: string;
  readonly keyNode: Node;
  readonly valueNode: Node;
  /** The node of key and value together. */
  readonly node: Node;
}

/** The properties of an object in file order, duplicates included; none for any other node. */
export function propertiesOf(node: Node | undefined): Property[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((child) => {
    const [keyNode, valueNode] = child.children ?? [];
    if (keyNode === undefined || valueNode === undefined) return [];
    return [{ key: String(keyNode.value), keyNode, valueNode, node: child }];
  });
}

/** The property of that name; of duplicates the last one, as in JSON.parse. */
export function findProperty(node: Node | undefined, key: string): Property | undefined {
  return propertiesOf(node).findLast((property) => property.key === key);
}

/** The properties that are overridden by a later one of the same name. */
export function doubledKeys(node: Node): readonly Property[] {
  const properties = propertiesOf(node);
  const last = new Map(properties.map((property) => [property.key, property]));
  return properties.filter((property) => last.get(property.key) !== property);
}

/** The value a node stands for. */
export function nodeValue(node: Node): unknown {
  if (node.type === 'object') {
    return Object.fromEntries(propertiesOf(node).map(({ key, valueNode }) => [key, nodeValue(valueNode)]));
  }
  if (node.type === 'array') return (node.children ?? []).map(nodeValue);
  return node.value as unknown;
}

/** The deepest existing node on `path`. */
export function nodeAt(node: Node, path: readonly PropertyKey[]): Node {
  const [step, ...rest] = path;
  if (step === undefined) return node;
  const next = typeof step === 'number' ? node.children?.[step] : findProperty(node, String(step))?.valueNode;
  return next === undefined ? node : nodeAt(next, rest);
}

// Formats a value like a user would: short lists on one line, everything else one item per line.

interface Layout {
  /** The indentation of the line the value starts on. */
  readonly indent: string;
  readonly unit: string;
  readonly eol: string;
  /** Whether all members are on one line. */
  readonly inline: boolean;
}

const maxInlineListLength = 100;

/** JSON text without undefined members. */
function formatJson(value: unknown, layout: Layout): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const inner = { ...layout, indent: layout.indent + layout.unit };
  const parts = isList
    ? value.map((item) => formatJson(item, inner))
    : Object.entries(value).flatMap(([key, item]) =>
        item === undefined ? [] : [`${JSON.stringify(key)}: ${formatJson(item, inner)}`],
      );
  if (parts.length === 0) return open + close;
  const line = parts.join(', ');
  if (layout.inline) return isList ? `[${line}]` : `{ ${line} }`;
  if (isList && line.length <= maxInlineListLength && value.every((item) => typeof item !== 'object'))
    return `[${line}]`;
  return `${open}${layout.eol}${inner.indent}${parts.join(`,${layout.eol}${inner.indent}`)}${layout.eol}${layout.indent}${close}`;
}

// Edits a JSONC text, preserving comments, order, indentation, line ends and commas.

/** Replaces one value. */
export function replaceValue(source: JsoncText, node: Node, value: unknown): string {
  const layout = {
    indent: source.indentOf(node.offset),
    unit: source.unit,
    eol: source.eol,
    inline: isInline(source, node),
  };
  return splice(source.text, node.offset, endOf(node), formatJson(value, layout));
}

/** Appends a property (with `key`) or a list item to a container. */
export function insertLast(source: JsoncText, container: Node, key: string | undefined, value: unknown): string {
  const last = container.children?.at(-1);
  const inline = isInline(source, container);
  const indent =
    last !== undefined && source.isFirstOnLine(last.offset)
      ? source.indentOf(last.offset)
      : source.indentOf(container.offset) + source.unit;
  const written = formatJson(value, { indent, unit: source.unit, eol: source.eol, inline });
  const text = key === undefined ? written : `${JSON.stringify(key)}: ${written}`;
  const lead = inline ? ' ' : source.eol + indent;
  return last === undefined
    ? insertOnly(source, container, text, lead)
    : insertAfter(source, container, last, text, lead);
}

/**
 * Removes a property or list item, with its comma and the comment after it on its line. Comments on lines of their own
 * stay.
 */
export function removeChild(source: JsoncText, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const [before, after] = [children[index - 1], children[index + 1]];
  const comma = findComma(source, endOf(child), after?.offset ?? endOf(container));
  const commaBefore =
    comma === undefined && before !== undefined ? findComma(source, endOf(before), child.offset) : undefined;
  const end = comma?.end ?? endOf(child);
  if (commaBefore === undefined) return cutLine(source, child.offset, end);
  const isPlain = source.text.slice(commaBefore.end, child.offset).trim() === '';
  if (isPlain) return splice(source.text, commaBefore.start, endOfLineComment(source, end, endOf(container) - 1), '');
  return splice(cutLine(source, child.offset, end), commaBefore.start, commaBefore.end, '');
}

function insertOnly(source: JsoncText, container: Node, text: string, lead: string): string {
  const close = endOf(container) - 1;
  const lastComment = source.tokens(container.offset + 1, close).findLast(({ kind }) => kind === 'comment');
  const at = lastComment?.end ?? container.offset + 1;
  if (lead === ' ' && lastComment === undefined)
    return splice(source.text, at, close, container.type === 'object' ? ` ${text} ` : text);
  const tail = source.text.slice(at, close).includes('\n') ? undefined : source.eol + source.indentOf(container.offset);
  if (tail === undefined) return splice(source.text, at, at, lead + text);
  return splice(source.text, at, close, lead + text + (lead === ' ' ? ' ' : tail));
}

function insertAfter(source: JsoncText, container: Node, last: Node, text: string, lead: string): string {
  const close = endOf(container) - 1;
  const comma = findComma(source, endOf(last), close);
  const at = endOfLineComment(source, comma?.end ?? endOf(last), close);
  // A trailing comma is kept.
  const added = splice(source.text, at, at, lead + text + (comma === undefined ? '' : ','));
  return comma === undefined ? splice(added, endOf(last), endOf(last), ',') : added;
}

/** Deletes from `start` to `end`; whole lines if nothing else is on them, otherwise with trailing spaces. */
function cutLine(source: JsoncText, start: number, end: number): string {
  const { text } = source;
  const tail = endOfLineComment(source, end, text.length);
  const lineEnd = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(tail));
  if (source.isFirstOnLine(start) && lineEnd !== null)
    return splice(text, source.lineStart(start), tail + lineEnd[0].length, '');
  const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return splice(text, start, end + blanks, '');
}

/** The end of the last comment on the line of `from`, if only a line break follows; otherwise `from`. */
function endOfLineComment(source: JsoncText, from: number, limit: number): number {
  let end = from;
  for (const token of source.tokens(from, lineLimit(source, from, limit))) {
    if (token.kind === 'comment') end = token.end;
    else if (token.kind === 'line break') return end;
    else if (token.kind !== 'blank') return from;
  }
  return end;
}

/** Limits how far the rest of a line with its comments is read, so that long files stay fast. */
function lineLimit(source: JsoncText, from: number, limit: number): number {
  const lineBreak = source.text.indexOf('\n', from);
  return lineBreak === -1 ? limit : Math.min(limit, lineBreak + 1);
}

function findComma(source: JsoncText, start: number, end: number): Trivia | undefined {
  return source.tokens(start, end).find(({ kind }) => kind === 'comma');
}

/** A container on one line stays on one line; an empty one follows its surrounding line, and the root is expanded. */
function isInline(source: JsoncText, container: Node): boolean {
  const shaping = (container.children?.length ?? 0) > 0 ? container : container.parent?.parent;
  return shaping !== undefined && source.isOnOneLine(shaping);
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
