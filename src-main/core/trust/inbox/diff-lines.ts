/**
 * Compares two values line by line in plain words: config entries, server definitions. Text is verbatim, with invisible
 * characters marked.
 */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../base/json.ts';
import { truncateText, markInvisible } from '../../base/visible-text.ts';
import type { DiffLine, TextSegment } from './inbox-item.ts';

/** `was` and `is`: undefined if absent. */
export function diffLine(place: string, was: unknown, is: unknown): DiffLine {
  const what = markInvisible(place);
  const [before, after] = [was, is].map((value) => (value === undefined ? undefined : valueText(value)));
  const sides = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  if (before === undefined) return { what, change: 'new', ...sides, text: `${what}: ${after ?? ''}` };
  if (after === undefined) return { what, change: 'gone', ...sides, text: `${what}: ${before} is removed` };
  if (isDeepStrictEqual(was, is)) return { what, change: 'same', ...sides, text: `${what}: ${after}` };
  const pieces = typeof was === 'string' && typeof is === 'string' ? piecesOf(was, is) : undefined;
  return { what, change: 'other', ...sides, ...(pieces && { pieces }), text: `${what}: ${before} becomes ${after}` };
}

/** All lines of both, in the order of the result. */
export function diffLines(was: ReadonlyMap<string, unknown>, is: ReadonlyMap<string, unknown>): readonly DiffLine[] {
  const places = [...new Set([...is.keys(), ...was.keys()])];
  return places.map((place) => diffLine(place, was.get(place), is.get(place)));
}

/** Texts in quotes, so that spaces at their ends are visible. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? `"${markInvisible(value)}"` : markInvisible(JSON.stringify(value));
  return text.length <= maxSideLength
    ? text
    : `${truncateText(text, maxSideLength)} (${text.length} characters in total)`;
}

/** Maximum length of one side of a line, in characters; longer text is cut, with a note. */
const maxSideLength = 20_000;

/** Undefined if nothing is shared or there is only one sentence, so that the whole text differs. */
function piecesOf(was: string, is: string): DiffLine['pieces'] {
  if (was.length + is.length > 2 * maxSideLength) return undefined;
  const [before, after] = [was, is].map(splitSentences);
  if (before === undefined || after === undefined) return undefined;
  const pieces = { before: marked(before, after), after: marked(after, before) };
  const isShared = pieces.after.some(({ isOther }) => !isOther);
  return isShared ? pieces : undefined;
}

/** Each sentence with its trailing white space, so that joining them returns the text. */
function splitSentences(text: string): readonly string[] {
  return text.match(/[^.!?\n。！？]*(?:[.!?\n。！？]+\s*|$)/g)?.filter((part) => part !== '') ?? [];
}

function marked(sentences: readonly string[], others: readonly string[]): readonly TextSegment[] {
  const known = new Set(others.map((one) => one.trim()));
  const pieces: { text: string; isOther: boolean }[] = [];
  for (const sentence of sentences) {
    const isOther = !known.has(sentence.trim());
    const text = markInvisible(sentence);
    const last = pieces.at(-1);
    if (last?.isOther === isOther) last.text += text;
    else pieces.push({ text, isOther });
  }
  return pieces;
}

// Converts a definition of a server into lines.

const partNames: Readonly<Record<string, string>> = {
  name: 'Name',
  title: 'Title',
  description: 'Description',
  instructions: 'Instructions to models',
  inputSchema: 'Arguments',
  outputSchema: 'Result',
  annotations: 'Hint',
  serverInfo: 'Server',
  arguments: 'Argument',
};

/**
 * Lines of a definition: path in plain words, and value. `other`: the definition to compare with; a value that is
 * empty here and present there has no line, because nothing is removed.
 */
export function definitionLines(definition: JsonObject, other: JsonObject = {}): ReadonlyMap<string, unknown> {
  const lines = new Map<string, unknown>();
  walk(definition, other, '', lines);
  return lines;
}

function walk(value: unknown, other: unknown, place: string, lines: Map<string, unknown>): void {
  if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, member] of Object.entries(value))
      walk(member, isObject(other) ? other[key] : undefined, place === '' ? key : `${place}.${key}`, lines);
  } else if (isObject(value) && isObject(other) && Object.keys(other).length > 0) {
    // Everything added is on lines of its own.
  } else if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    const items: readonly unknown[] = Array.isArray(other) ? other : [];
    value.forEach((item, at) => walk(item, items[at], `${place}[${at + 1}]`, lines));
  } else lines.set(describePath(place), value);
}

/** `Parameter path, description` for `inputSchema.properties.path.description`. */
export function describePath(place: string): string {
  const words = place
    .replace(/^inputSchema\.properties(?:\.|$)/, 'Parameter ')
    .trim()
    .replace(/^outputSchema\.properties\./, 'Field of the result ')
    .replaceAll('.properties.', '.');
  const [first = '', ...rest] = words.split('.');
  const name = Object.hasOwn(partNames, first) ? partNames[first] : undefined;
  if (name !== undefined) return [name, ...rest].join(' ');
  const last = rest.at(-1);
  return last === undefined || !first.includes(' ') ? words : `${[first, ...rest.slice(0, -1)].join('.')}, ${last}`;
}
