/** Cuts into a JSONC text without touching what it is not about: comments, order, indentation, line ends and commas stay. */
import type { Node } from 'jsonc-parser';
import { formatJson } from './format-json.ts';
import { endOf, type JsonText, type Trivia } from './json-text.ts';

/** Replaces one value. */
export function replaceValue(source: JsonText, node: Node, value: unknown): string {
  const layout = {
    indent: source.indentOf(node.offset),
    unit: source.unit,
    eol: source.eol,
    inline: isInline(source, node),
  };
  return splice(source.text, node.offset, endOf(node), formatJson(value, layout));
}

/** Adds a property (`key` given) or a list item as the last one of a container. */
export function insertLast(source: JsonText, container: Node, key: string | undefined, value: unknown): string {
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

/** Takes a property or list item out, with its comma and the comment behind it on its line. Comments on lines of their own stay. */
export function removeChild(source: JsonText, container: Node, child: Node): string {
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

function insertOnly(source: JsonText, container: Node, text: string, lead: string): string {
  const close = endOf(container) - 1;
  const lastComment = source.tokens(container.offset + 1, close).findLast(({ kind }) => kind === 'comment');
  const at = lastComment?.end ?? container.offset + 1;
  if (lead === ' ' && lastComment === undefined)
    return splice(source.text, at, close, container.type === 'object' ? ` ${text} ` : text);
  const tail = source.text.slice(at, close).includes('\n') ? undefined : source.eol + source.indentOf(container.offset);
  if (tail === undefined) return splice(source.text, at, at, lead + text);
  return splice(source.text, at, close, lead + text + (lead === ' ' ? ' ' : tail));
}

function insertAfter(source: JsonText, container: Node, last: Node, text: string, lead: string): string {
  const close = endOf(container) - 1;
  const comma = findComma(source, endOf(last), close);
  const at = endOfLineComment(source, comma?.end ?? endOf(last), close);
  // Who ends the last line with a comma wants it so on the new last line too.
  const added = splice(source.text, at, at, lead + text + (comma === undefined ? '' : ','));
  return comma === undefined ? splice(added, endOf(last), endOf(last), ',') : added;
}

/** Deletes from `start` to `end`; whole lines when nothing else stands on them, else with the blanks behind. */
function cutLine(source: JsonText, start: number, end: number): string {
  const { text } = source;
  const tail = endOfLineComment(source, end, text.length);
  const lineEnd = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(tail));
  if (source.isFirstOnLine(start) && lineEnd !== null)
    return splice(text, source.lineStart(start), tail + lineEnd[0].length, '');
  const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return splice(text, start, end + blanks, '');
}

/** The end of the last comment that starts on the line of `from`, when nothing but a line break follows it; else `from`. */
function endOfLineComment(source: JsonText, from: number, limit: number): number {
  let end = from;
  for (const token of source.tokens(from, lineLimit(source, from, limit))) {
    if (token.kind === 'comment') end = token.end;
    else if (token.kind === 'line break') return end;
    else if (token.kind !== 'blank') return from;
  }
  return end;
}

/** A look ahead of the rest of the line and what a comment there drags along, so that long files stay cheap. */
function lineLimit(source: JsonText, from: number, limit: number): number {
  const lineBreak = source.text.indexOf('\n', from);
  return lineBreak === -1 ? limit : Math.min(limit, lineBreak + 1);
}

function findComma(source: JsonText, start: number, end: number): Trivia | undefined {
  return source.tokens(start, end).find(({ kind }) => kind === 'comma');
}

/** A container that is on one line stays there; an empty one follows the line it is in, and the file as a whole is opened up. */
function isInline(source: JsonText, container: Node): boolean {
  const shaping = (container.children?.length ?? 0) > 0 ? container : container.parent?.parent;
  return shaping !== undefined && source.isOnOneLine(shaping);
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
