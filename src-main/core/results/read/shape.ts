/** What values have in common: gathered from a list's elements, so that a thousand alike objects are described once. */
import { isObject } from '../../base/json.ts';

export interface Range {
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
export const mostWords = 6;

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
