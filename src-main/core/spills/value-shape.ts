/** Describes the shape of a JSON value in a few lines: member types, list lengths, number ranges, recurring texts. */
import { isObject, toPlainNumber } from '../base/json.ts';
import { formatNumber, pluralize } from '../base/text-format.ts';

interface Range {
  least: number;
  most: number;
}

type ValueType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** Statistics of all values at the same place. */
export interface Shape {
  /** Number of examined values. */
  count: number;
  readonly types: Set<ValueType>;
  numbers: Range | undefined;
  /** Lengths of lists. */
  lengths: Range | undefined;
  /** Length of the longest text, in characters. */
  maxTextLength: number;
  /** Distinct short texts; more than `maxWords` count as many. */
  readonly words: Set<string>;
  readonly members: Map<string, Shape>;
  /** Number of members that are not in `members`. */
  moreMembers: number;
  elements: Shape | undefined;
  /** Whether only some elements were inspected. */
  isSampled: boolean;
}

const maxDepth = 6;
/** Maximum number of elements inspected, spread over the whole list. */
const maxElements = 10_000;
const maxMembers = 100;
/** Maximum number of examined values; later ones are counted with their list. */
const maxValues = 500_000;
const maxWords = 6;
const maxWordLength = 40;

export function shapeOf(values: readonly unknown[]): Shape {
  const shape = newShape();
  const budget = { left: maxValues };
  for (const value of values) merge(shape, value, 0, budget);
  return shape;
}

function newShape(): Shape {
  return {
    count: 0,
    types: new Set(),
    numbers: undefined,
    lengths: undefined,
    maxTextLength: 0,
    words: new Set(),
    members: new Map(),
    moreMembers: 0,
    elements: undefined,
    isSampled: false,
  };
}

function merge(shape: Shape, given: unknown, depth: number, budget: { left: number }): void {
  const value = toPlainNumber(given);
  shape.count++;
  budget.left--;
  if (typeof value === 'string') {
    shape.types.add('string');
    shape.maxTextLength = Math.max(shape.maxTextLength, value.length);
    if (shape.words.size <= maxWords && value.length <= maxWordLength) shape.words.add(value);
  } else if (typeof value === 'number') {
    shape.types.add('number');
    shape.numbers = widened(shape.numbers, value);
  } else if (typeof value === 'boolean') shape.types.add('boolean');
  else if (Array.isArray(value)) mergeList(shape, value, depth, budget);
  else if (isObject(value)) mergeObject(shape, value, depth, budget);
  else shape.types.add('null');
}

function mergeList(shape: Shape, list: readonly unknown[], depth: number, budget: { left: number }): void {
  shape.types.add('array');
  shape.lengths = widened(shape.lengths, list.length);
  if (depth >= maxDepth || list.length === 0) return;
  const elements = (shape.elements ??= newShape());
  elements.isSampled ||= list.length > maxElements;
  for (const at of sampledPlaces(list.length)) {
    if (budget.left <= 0) elements.isSampled = true;
    else merge(elements, list[at], depth + 1, budget);
  }
}

/**
 * All positions of a short list; of a long one its ends and irregular positions between them, because lists often
 * repeat regularly.
 */
function* sampledPlaces(length: number): Generator<number, void, undefined> {
  const stride = length / maxElements;
  if (stride <= 1) {
    for (let at = 0; at < length; at++) yield at;
    return;
  }
  yield 0;
  let random = 1;
  for (let piece = 0; piece < maxElements; piece++) {
    random = (random * 48_271) % 2_147_483_647;
    yield Math.floor((piece + random / 2_147_483_647) * stride);
  }
  yield length - 1;
}

function mergeObject(
  shape: Shape,
  value: Readonly<Record<string, unknown>>,
  depth: number,
  budget: { left: number },
): void {
  shape.types.add('object');
  if (depth >= maxDepth) return;
  const keys = Object.keys(value);
  let isMore = 0;
  for (const key of keys) {
    const known = shape.members.get(key);
    if (known === undefined && shape.members.size >= maxMembers) isMore++;
    else {
      const member = known ?? newShape();
      shape.members.set(key, member);
      merge(member, value[key], depth + 1, budget);
    }
  }
  shape.moreMembers = Math.max(shape.moreMembers, isMore);
}

function widened(range: Range | undefined, value: number): Range {
  if (range === undefined) return { least: value, most: value };
  range.least = Math.min(range.least, value);
  range.most = Math.max(range.most, value);
  return range;
}

// In words: `items: array of 1 204 objects {id: number 1…1204, state: "open" | "closed"}`.

const maxLines = 12;
const maxCharacters = 1_000;
const maxLineLength = 300;
const longText = 1_000;
const maxNameLength = 60;
/** Maximum number of members that are described inside of a line. */
const innerMembers = 12;

/** For a notice: at most twelve lines and 1,000 characters. */
export function describeShapeNode(root: Shape): string[] {
  const members = [...root.members];
  if (!isObjectOnly(root) || members.length === 0) return bounded([describeLine(root)]);
  const isWhole = members.length <= maxLines && root.moreMembers === 0;
  const shown = isWhole ? members : members.slice(0, maxLines - 1);
  const lines = shown.map(([name, shape]) => `${shortName(name)}: ${describeLine(shape)}`);
  if (isWhole) return bounded(lines);
  const left = members.length - shown.length + root.moreMembers;
  const names = members.slice(maxLines - 1, maxLines + 19).map(([name]) => shortName(name));
  return bounded([...lines, `and ${formatNumber(left)} ${pluralize(left, 'member')} more: ${names.join(', ')}, …`]);
}

/** For op schema: one member per line, with its content indented below. */
export function schemaLines(root: Shape): string[] {
  return [describe(root, 0), ...inner(root, '  ')];
}

function inner(shape: Shape, indent: string): string[] {
  const { members, moreMembers, elements } = shape;
  const own = [...members].flatMap(([name, member]) => {
    const isOptional = isObjectOnly(shape) && member.count < shape.count;
    return [
      `${indent}${shortName(name)}${isOptional ? '?' : ''}: ${describe(member, 0)}`,
      ...inner(member, `${indent}  `),
    ];
  });
  const more = moreMembers > 0 ? [`${indent}and ${formatNumber(moreMembers)} more`] : [];
  return [...own, ...more, ...(elements === undefined ? [] : inner(elements, indent))];
}

function isObjectOnly({ types }: Shape): boolean {
  return types.size === 1 && types.has('object');
}

function describeLine(shape: Shape): string {
  return `${describe(shape, 2)}${shape.elements?.isSampled === true ? ' (sampled)' : ''}`;
}

/** `depth`: how many levels of members are described in braces. */
function describe(shape: Shape, depth: number): string {
  const described = [...shape.types].map((type) => {
    if (type === 'number') return `number${rangeOf(shape.numbers)}`;
    if (type === 'string') return describeText(shape);
    if (type === 'array') return describeList(shape, depth);
    return type === 'object' ? `object${membersOf(shape, depth)}` : type;
  });
  return described.length === 0 ? 'unknown' : described.join(' | ');
}

function describeText({ words, maxTextLength, count }: Shape): string {
  if (maxTextLength > longText) return `string of up to ${formatNumber(maxTextLength)} characters`;
  const recurs = words.size > 0 && words.size <= maxWords && maxTextLength <= maxWordLength && count >= 3 * words.size;
  return recurs ? [...words].map((word) => JSON.stringify(shortName(word))).join(' | ') : 'string';
}

function describeList({ lengths, elements }: Shape, depth: number): string {
  if (lengths === undefined || elements === undefined || lengths.most === 0) return 'empty array';
  const { least, most } = lengths;
  const length = least === most ? formatNumber(most) : `${formatNumber(least)}…${formatNumber(most)}`;
  return `array of ${length} ${describeMany(elements, depth, least === most ? most : 0)}`;
}

/** `length`: number of elements; 0: it varies. */
function describeMany(shape: Shape, depth: number, length: number): string {
  const [type, ...others] = shape.types;
  const so = (noun: string): string => pluralize(length, noun);
  if (others.length > 0 || type === undefined) return `${so('value')} (${describe(shape, depth - 1)})`;
  if (type === 'object') return so('object') + membersOf(shape, depth);
  if (type === 'number') return so('number') + rangeOf(shape.numbers);
  if (type === 'array') return depth > 1 ? `${so('array')} (${describeList(shape, depth - 1)})` : so('array');
  const text = type === 'string' ? describeText(shape) : type;
  return text === type ? so(type) : `${so(type)} (${text})`;
}

function membersOf({ members, moreMembers }: Shape, depth: number): string {
  if (members.size === 0) return '';
  if (depth <= 0)
    return ` of ${formatNumber(members.size + moreMembers)} ${pluralize(members.size + moreMembers, 'member')}`;
  const described = [...members].slice(0, innerMembers).map(([name, shape]) => {
    return `${shortName(name)}: ${describe(shape, depth - 1)}`;
  });
  const left = members.size - described.length + moreMembers;
  return ` {${described.join(', ')}${left > 0 ? `, and ${formatNumber(left)} more` : ''}}`;
}

function rangeOf(range: Range | undefined): string {
  // A number beyond a double would be shown incorrectly.
  const isUnsafe =
    range === undefined || [range.least, range.most].some((end) => Math.abs(end) > Number.MAX_SAFE_INTEGER);
  if (isUnsafe) return '';
  return range.least === range.most ? ` ${range.least}` : ` ${range.least}…${range.most}`;
}

/** Names are a server's text: shown on one line, and shortened. */
function shortName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, ' ');
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength).toWellFormed()}…` : line;
}

function bounded(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let left = maxCharacters;
  for (const line of lines.slice(0, maxLines)) {
    const length = Math.min(maxLineLength, left - 1);
    if (length < 20) break;
    const cut = line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line;
    shown.push(cut);
    left -= cut.length + 1;
  }
  return shown;
}

// Builds queries that find single elements of the longest list.

/**
 * A JSONPath with a placeholder for a value; undefined if there is no list of objects at the root, or in a member of
 * it.
 */
export function queryExample({ elements, members }: Shape): string | undefined {
  const own = elements && conditionOn(elements);
  if (own !== undefined) return `$[?(${own})]`;
  const lists = [...members].filter(
    ([, { elements: inside, lengths }]) => inside?.members.size && (lengths?.most ?? 0) > 1,
  );
  const [longest] = lists.toSorted(([, a], [, b]) => (b.lengths?.most ?? 0) - (a.lengths?.most ?? 0));
  const condition = longest?.[1].elements && conditionOn(longest[1].elements);
  return condition === undefined ? undefined : `$${step(longest?.[0] ?? '')}[?(${condition})]`;
}

/** Prefers a text, because users know things by text. */
function conditionOn({ members }: Shape): string | undefined {
  const usable = [...members].filter(([name]) => name.length <= maxNameLength && !/['\\\p{Cc}]/u.test(name));
  const [name, shape] = usable.find(([, one]) => one.types.has('string')) ?? usable[0] ?? [];
  if (name === undefined || shape === undefined) return undefined;
  return `@${step(name)}==${shape.types.has('string') ? "'…'" : '…'}`;
}

function step(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
}
