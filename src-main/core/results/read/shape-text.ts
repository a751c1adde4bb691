/** A shape in words, one key a line, what is inside of it indented below. */
import { mostWords, type Range, type Shape } from './shape.ts';

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
