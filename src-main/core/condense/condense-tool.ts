/** A tool's description as one short line: without filler phrases, the first sentence, cut at a word. */
import { isObject, type JsonObject } from '../base/json.ts';
import { firstClause, toSingleLine } from './clauses.ts';

const fillers = [
  'Only works within allowed directories',
  'Use this tool when you need to',
  'Use this tool to',
  'This tool allows you to',
  'This tool is used to',
  'This tool can be used to',
  'This tool will',
  'You can use this tool to',
].map((phrase) => new RegExp(phrase, 'gi'));

/** Words that every filler contains; most texts have none of them. */
const mayHaveFiller = /this tool|within allowed/i;

/** A period ends a sentence only before white space, so that "v2.0" stays whole; CJK ones need none. */
const sentenceEnd = /[.!?](?=\s|$)|[。！？]/;

/**
 * Condenses exactly as ToolMux does, so that both show the same text.
 * @param max maximum number of characters (code points)
 */
export function condenseDescription(text: string | undefined, max = 80): string {
  if (text === undefined) return '';
  let line = withoutFillers(text);
  const end = sentenceEnd.exec(line);
  if (end !== null) line = line.slice(0, end.index + 1);
  return cutAtWord(trimStops(line), max);
}

/** Returns the text as one line without filler phrases. */
export function withoutFillers(text: string): string {
  let line = text.replace(/\s+/g, ' ').trim();
  for (const filler of mayHaveFiller.test(line) ? fillers : []) {
    // Only if a phrase was removed, because ".NET" may begin with its period.
    if (line.search(filler) !== -1) line = line.replace(filler, '').replace(/^[\s,.:;]+/, '');
  }
  return upperFirst(line.replace(/ {2,}/g, ' '));
}

/** The same in our own way: ends at the real end of a sentence, or earlier where a reader can stop. */
export function condenseLine(text: string | undefined, max = 80): string {
  const whole = toSingleLine(text ?? '');
  const line = firstClause(withoutFillers(whole), max);
  // A server may mention after the first sentence that a tool is deprecated, which a model needs to know.
  const isCutOff = deprecation.test(whole.slice(0, maxInspectedLength)) && !deprecation.test(line);
  return isCutOff
    ? `Deprecated. ${firstClause(withoutFillers(whole), Math.max(0, max - 'Deprecated. '.length))}`
    : line;
}

const deprecation = /\bdeprecated\b/i;
/** In characters, because such a note is at the start of a description. */
const maxInspectedLength = 2000;

/** A loop, because a pattern anchored to the end takes quadratic time on a megabyte of dots. */
function trimStops(line: string): string {
  let end = line.length;
  while (end > 0 && '.。'.includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end).trimEnd();
}

function upperFirst(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** Counts code points, so that surrogate pairs stay whole. */
function cutAtWord(text: string, max: number): string {
  // Twice the length always contains enough code points, and a description may be megabytes long.
  if (max === Infinity) return text;
  const characters = Array.from(text.slice(0, 2 * max + 2));
  if (characters.length <= max) return text;
  const cut = characters.slice(0, max).join('');
  const space = cut.lastIndexOf(' ');
  return space > 0 ? cut.slice(0, space) : cut;
}

// Reduces an input schema to what a call needs: names, types, allowed values, and required members.

/**
 * Condenses as ToolMux does, but keeps `enum` and `const`, because a model would guess the values. Accepts anything;
 * what is not an object schema becomes `{"type":"object"}`.
 */
export function condenseSchema(schema: unknown): JsonObject {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(schema) || !isObject(properties) || Object.keys(properties).length === 0) return { type: 'object' };
  const condensed: JsonObject = {
    type: 'object',
    // fromEntries defines own properties, also one called "__proto__".
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, condenseProperty(property)]),
    ),
  };
  const required = schema['required'];
  if (Array.isArray(required) && required.length > 0) condensed['required'] = required;
  return condensed;
}

function condenseProperty(property: unknown): JsonObject {
  const reduced = typeAndValues(property);
  if (isObject(property) && isObject(property['items']) && includesArray(reduced['type'])) {
    reduced['items'] = typeAndValues(property['items']);
  }
  return reduced;
}

function typeAndValues(schema: unknown): JsonObject {
  const reduced: JsonObject = {};
  if (!isObject(schema)) return reduced;
  if (typeof schema['type'] === 'string' || Array.isArray(schema['type'])) reduced['type'] = schema['type'];
  if (Array.isArray(schema['enum'])) reduced['enum'] = schema['enum'];
  if (Object.hasOwn(schema, 'const')) reduced['const'] = schema['const'];
  return reduced;
}

function includesArray(type: unknown): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}

// Reduces a foreign text to one plain line, without invisible characters and without characters that reorder or hide
// others.

/**
 * Controls, format characters (zero width, bidirectional, tags) and variation selectors, which can carry hidden text.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/** @param max maximum number of characters (code points); longer texts end in "…" */
export function truncateLine(text: string, max: number): string {
  // Truncated first, far above what is shown, because a text may be megabytes long.
  const start = text.slice(0, max * 20).toWellFormed();
  const line = start.replace(/\s+/g, ' ').replace(invisible, '').replace(/ {2,}/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}
