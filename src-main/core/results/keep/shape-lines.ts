/** The shape of JSON in a few lines, as a model reads them: `items: array of 1 204 objects {id: number 1…1204, name: string}`. */
import type { Range, ShapeNode } from './shape-builder.ts';

const mostLines = 12;
const mostCharacters = 1_000;
const longestLine = 300;
/** Longer texts are worth a word. */
const longText = 1_000;
const longestName = 60;
/** Members told of an object within another value. */
const innerMembers = 12;

export function shapeLines(root: ShapeNode): string[] {
  const members = [...(root.members ?? [])];
  if (!root.types.has('object') || members.length === 0) return bounded([describeLine(root)]);
  const rest = members.slice(mostLines - 1);
  const told = (rest.length > 1 || root.moreMembers > 0 ? members.slice(0, mostLines - 1) : members).map(
    ([name, node]) => `${shortName(name)}: ${describeLine(node)}`,
  );
  const untold = members.length - told.length;
  if (untold === 0 && root.moreMembers === 0) return bounded(told);
  const names = rest.slice(0, 20).map(([name]) => shortName(name));
  return bounded([...told, `and ${count(untold + root.moreMembers)} members more: ${names.join(', ')}, …`]);
}

export function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** Of long lists only the beginning was looked at. */
function describeLine(node: ShapeNode): string {
  const seen = seenOfList(node);
  return seen === undefined ? describe(node, 2) : `${describe(node, 2)} (of the first ${count(seen)})`;
}

function seenOfList({ elements }: ShapeNode): number | undefined {
  return elements !== undefined && elements.unseen > 0 ? elements.seen : undefined;
}

function describe(node: ShapeNode, depth: number): string {
  const told = [...node.types].map((type) => {
    if (type === 'number') return `number${rangeOf(node.numbers)}`;
    if (type === 'string')
      return node.longestText > longText ? `string of up to ${count(node.longestText)} bytes` : type;
    if (type === 'array') return describeArray(node, depth);
    return type === 'object' ? `object${membersOf(node, depth)}` : type;
  });
  return told.length === 0 ? 'unknown' : told.join(' | ');
}

function describeArray({ lengths, elements }: ShapeNode, depth: number): string {
  if (lengths === undefined || elements === undefined || lengths.most === 0) return 'empty array';
  const { least, most } = lengths;
  const length = least === most ? count(most) : `${count(least)}…${count(most)}`;
  return `array of ${length} ${describeMany(elements, depth)}`;
}

function describeMany(node: ShapeNode, depth: number): string {
  const [type, ...others] = node.types;
  if (others.length > 0 || type === undefined) return `values (${describe(node, depth - 1)})`;
  if (type === 'object') return `objects${membersOf(node, depth)}`;
  if (type === 'number') return `numbers${rangeOf(node.numbers)}`;
  if (type === 'array') return depth > 1 ? `arrays (${describeArray(node, depth - 1)})` : 'arrays';
  return { string: 'strings', boolean: 'booleans', null: 'nulls' }[type];
}

function membersOf({ members = new Map<string, ShapeNode>(), moreMembers }: ShapeNode, depth: number): string {
  if (members.size === 0) return '';
  if (depth === 0) return ` of ${count(members.size)}${moreMembers > 0 ? ' and more' : ''} members`;
  const told = [...members].slice(0, innerMembers).map(([name, node]) => {
    return `${shortName(name)}: ${describe(node, depth - 1)}`;
  });
  const untold = members.size - told.length + moreMembers;
  return ` {${told.join(', ')}${untold > 0 ? `, and ${count(untold)} more` : ''}}`;
}

function rangeOf(range: Range | undefined): string {
  // A number that a double does not hold would be told wrong.
  if (range === undefined || [range.least, range.most].some((end) => Math.abs(end) > Number.MAX_SAFE_INTEGER))
    return '';
  return range.least === range.most ? ` ${range.least}` : ` ${range.least}…${range.most}`;
}

/** Names are a server's text: on one line, and never longer than what they stand for. */
function shortName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, ' ');
  return line.length > longestName ? `${line.slice(0, longestName).toWellFormed()}…` : line;
}

function bounded(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = mostCharacters;
  for (const line of lines.slice(0, mostLines)) {
    const length = Math.min(longestLine, left - 1);
    if (length < 20) break;
    const cut = line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line;
    kept.push(cut);
    left -= cut.length + 1;
  }
  return kept;
}
