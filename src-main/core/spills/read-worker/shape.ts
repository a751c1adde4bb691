/** What values have in common: gathered from a list's elements, so that a thousand alike objects are described once. */
import { isObject } from '../../base/json.ts';

interface Range {
  least: number;
  most: number;
}

export interface Shape {
  /** How many values were looked at. */
  count: number;
  readonly types: Set<'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'>;
  /** Numbers, and the lengths of strings and lists. */
  numbers: Range | undefined;
  characters: Range | undefined;
  elements: Range | undefined;
  /** A few different strings, as long as there are few. */
  readonly words: Set<string>;
  /** Shape of all elements together. */
  items: Shape | undefined;
  readonly keys: Map<string, Shape>;
  /** An object has more keys than are described. */
  keyCount: Range | undefined;
  /** Not every value was looked at. */
  isSampled: boolean;
}

/** Deeper values are told by their type alone. */
const deepest = 6;
const mostElements = 1000;
const mostKeys = 60;
const mostWords = 6;

export function newShape(): Shape {
  return {
    ...{ count: 0, types: new Set(), words: new Set(), keys: new Map(), isSampled: false },
    ...{ numbers: undefined, characters: undefined, elements: undefined, items: undefined, keyCount: undefined },
  };
}

export function mergeShape(shape: Shape, value: unknown, depth: number): void {
  shape.count++;
  if (typeof value === 'string') mergeString(shape, value);
  else if (typeof value === 'number') mergeNumber(shape, value);
  else if (typeof value === 'boolean') shape.types.add('boolean');
  else if (Array.isArray(value)) mergeList(shape, value, depth);
  else if (isObject(value)) mergeObject(shape, value, depth);
  else shape.types.add('null');
}

function mergeString(shape: Shape, value: string): void {
  shape.types.add('string');
  shape.characters = widened(shape.characters, value.length);
  if (shape.words.size <= mostWords && value.length <= 40) shape.words.add(value);
}

function mergeNumber(shape: Shape, value: number): void {
  shape.types.add(Number.isInteger(value) ? 'integer' : 'number');
  shape.numbers = widened(shape.numbers, value);
}

function mergeList(shape: Shape, list: readonly unknown[], depth: number): void {
  shape.types.add('array');
  shape.elements = widened(shape.elements, list.length);
  if (depth >= deepest) return;
  const items = (shape.items ??= newShape());
  // Evenly over the whole list: what only the last ones have is to be seen, too.
  const stride = Math.max(1, list.length / mostElements);
  if (stride > 1) items.isSampled = true;
  for (let at = 0; at < list.length; at += stride) mergeShape(items, list[Math.floor(at)], depth + 1);
}

function mergeObject(shape: Shape, value: Readonly<Record<string, unknown>>, depth: number): void {
  shape.types.add('object');
  const keys = Object.keys(value);
  shape.keyCount = widened(shape.keyCount, keys.length);
  if (depth >= deepest) return;
  for (const key of keys) {
    let member = shape.keys.get(key);
    if (member === undefined) {
      if (shape.keys.size >= mostKeys) continue;
      member = newShape();
      shape.keys.set(key, member);
    }
    mergeShape(member, value[key], depth + 1);
  }
}

function widened(range: Range | undefined, number: number): Range {
  if (range === undefined) return { least: number, most: number };
  range.least = Math.min(range.least, number);
  range.most = Math.max(range.most, number);
  return range;
}

/** A shape in words, one key a line, what is inside of it indented below. */
export function shapeLines(shape: Shape, name = '', indent = '', isOptional = false): string[] {
  const label = name === '' ? '' : `${name}${isOptional ? '?' : ''}: `;
  return [`${indent}${label}${describe(shape)}`, ...insideOf(shape, `${indent}  `)];
}

function describe(shape: Shape): string {
  const kinds = [...shape.types].filter((type) => type !== 'integer' || !shape.types.has('number'));
  return kinds.map((kind) => describeKind(shape, kind)).join(' | ') || 'nothing';
}

function describeKind(shape: Shape, kind: string): string {
  switch (kind) {
    case 'integer':
    case 'number':
      return `${kind} ${rangeText(shape.numbers)}`;
    case 'string':
      return `string${wordsText(shape)}`;
    case 'array':
      return `array of ${rangeText(shape.elements)}${itemsText(shape.items)}`;
    case 'object':
      return `object of ${rangeText(shape.keyCount)} keys`;
    default:
      return kind;
  }
}

/** What lists hold stands behind their length; objects in it are told key by key below. */
function itemsText(items: Shape | undefined): string {
  if (items === undefined || items.count === 0) return '';
  return `${items.isSampled ? ' (sampled)' : ''}: ${describe(items)}`;
}

function wordsText({ words, characters, count }: Shape): string {
  const most = characters?.most ?? 0;
  const fewAndRepeated = words.size <= mostWords && most <= 40 && count > words.size;
  if (fewAndRepeated) return ` (${[...words].map((word) => JSON.stringify(word)).join(', ')})`;
  return ` of ${rangeText(characters)} characters`;
}

function insideOf(shape: Shape, indent: string): string[] {
  const own = [...shape.keys].flatMap(([key, member]) =>
    shapeLines(member, keyText(key), indent, member.count < objectsIn(shape)),
  );
  const left = (shape.keyCount?.most ?? 0) - shape.keys.size;
  const more = left > 0 && shape.keys.size > 0 ? [`${indent}… and ${left} more keys`] : [];
  return [...own, ...more, ...(shape.items === undefined ? [] : insideOf(shape.items, indent))];
}

function objectsIn({ types, count }: Shape): number {
  return types.size === 1 ? count : 0;
}

function keyText(key: string): string {
  const shown = key.length > 80 ? `${key.slice(0, 80)}…` : key;
  return /^[\w$.-]+$/.test(shown) ? shown : JSON.stringify(shown);
}

function rangeText(range: Range | undefined): string {
  if (range === undefined) return '0';
  return range.least === range.most ? String(range.least) : `${range.least}…${range.most}`;
}
