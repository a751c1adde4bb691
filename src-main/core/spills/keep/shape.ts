/** Gathers what JSON looks like while it passes: members and their types, lengths of lists, ranges of numbers; bounded whatever comes. */
import { grouped, nouns } from '../../base/wording.ts';

type ScalarType = 'string' | 'number' | 'boolean' | 'null';

interface Range {
  least: number;
  most: number;
}

/** All values that stand in the same place of the document, taken together. */
export interface ShapeNode {
  /** Values that were looked at, and values that were only counted. */
  seen: number;
  unseen: number;
  readonly types: Set<ScalarType | 'array' | 'object'>;
  numbers: Range | undefined;
  /** Of lists: how many elements. */
  lengths: Range | undefined;
  /** Of texts: the longest, in bytes. */
  longestText: number;
  members: Map<string, ShapeNode> | undefined;
  /** Members of objects that found no place in `members`. */
  moreMembers: number;
  elements: ShapeNode | undefined;
}

interface Frame {
  readonly node: ShapeNode;
  readonly isObject: boolean;
  length: number;
  name: string | undefined;
}

/** Values looked at in one place of the document. */
const mostSeen = 10_000;
const mostMembers = 100;
const mostNodes = 2_000;

export class ShapeBuilder {
  readonly root: ShapeNode = newNode();
  readonly #open: Frame[] = [];
  #nodes = 1;
  /** Brackets that are open inside of something that is not looked at. */
  #skipped = 0;

  /** Whether names and numbers are worth being handed over. */
  get listening(): boolean {
    return this.#skipped === 0;
  }

  open(isObject: boolean): void {
    const node = this.#skipped > 0 ? undefined : this.#place();
    if (node === undefined) {
      this.#skipped++;
      return;
    }
    node.types.add(isObject ? 'object' : 'array');
    this.#open.push({ node, isObject, length: 0, name: undefined });
  }

  close(): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const frame = this.#open.pop();
    if (frame !== undefined && !frame.isObject) frame.node.lengths = widened(frame.node.lengths, frame.length);
  }

  name(name: string): void {
    const frame = this.#open.at(-1);
    if (frame !== undefined && this.#skipped === 0) frame.name = name;
  }

  /** `size`: the number itself, or the length of a text. */
  scalar(type: ScalarType, size: number): void {
    if (this.#skipped > 0) return;
    const node = this.#place();
    if (node === undefined) return;
    node.types.add(type);
    if (type === 'number') node.numbers = widened(node.numbers, size);
    else if (type === 'string' && size > node.longestText) node.longestText = size;
  }

  /** The node of the value that begins now; undefined where enough was seen of its kind. */
  #place(): ShapeNode | undefined {
    const frame = this.#open.at(-1);
    const node = frame === undefined ? this.root : frame.isObject ? this.#member(frame) : this.#element(frame);
    if (node === undefined) return undefined;
    if (node.seen >= mostSeen) {
      node.unseen++;
      return undefined;
    }
    node.seen++;
    return node;
  }

  #element(frame: Frame): ShapeNode | undefined {
    frame.length++;
    return (frame.node.elements ??= this.#newNode());
  }

  #member({ node, name = '' }: Frame): ShapeNode | undefined {
    const members = (node.members ??= new Map<string, ShapeNode>());
    const known = members.get(name);
    if (known !== undefined) return known;
    const made = members.size < mostMembers ? this.#newNode() : undefined;
    if (made === undefined) node.moreMembers++;
    else members.set(name, made);
    return made;
  }

  #newNode(): ShapeNode | undefined {
    if (this.#nodes >= mostNodes) return undefined;
    this.#nodes++;
    return newNode();
  }
}

function newNode(): ShapeNode {
  return {
    seen: 0,
    unseen: 0,
    types: new Set(),
    numbers: undefined,
    lengths: undefined,
    longestText: 0,
    members: undefined,
    moreMembers: 0,
    elements: undefined,
  };
}

function widened(range: Range | undefined, value: number): Range {
  if (range === undefined) return { least: value, most: value };
  if (value < range.least) range.least = value;
  if (value > range.most) range.most = value;
  return range;
}

// The shape of JSON in a few lines, as a model reads them: `items: array of 1 204 objects {id: number 1…1204, name: string}`.

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
  return bounded([
    ...told,
    `and ${grouped(untold + root.moreMembers)} ${nouns(untold + root.moreMembers, 'member')} more: ${names.join(', ')}, …`,
  ]);
}

// How single elements of the longest list are found: what a model mostly wants of long JSON.

/** undefined where there is no list of objects at the top, or in a member of it. */
export function queryExample({ elements, members = new Map<string, ShapeNode>() }: ShapeNode): string | undefined {
  const own = elements === undefined ? undefined : conditionOn(elements);
  if (own !== undefined) return `$[?(${own})]`;
  const lists = [...members].filter(
    ([, node]) => node.elements?.members !== undefined && (node.lengths?.most ?? 0) > 1,
  );
  const [longest] = lists.sort(([, a], [, b]) => (b.lengths?.most ?? 0) - (a.lengths?.most ?? 0));
  const condition = longest?.[1].elements && conditionOn(longest[1].elements);
  return condition === undefined ? undefined : `$${step(longest?.[0] ?? '')}[?(${condition})]`;
}

/** On a text where there is one: that is what people know of a thing. */
function conditionOn({ members = new Map<string, ShapeNode>() }: ShapeNode): string | undefined {
  const usable = [...members].filter(([name]) => name.length <= longestName && !/['\\\p{Cc}]/u.test(name));
  const [name, node] = usable.find(([, one]) => one.types.has('string')) ?? usable[0] ?? [];
  if (name === undefined || node === undefined) return undefined;
  return `@${step(name)}==${node.types.has('string') ? "'…'" : '…'}`;
}

function step(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
}

/** Of long lists only the beginning was looked at. */
function describeLine(node: ShapeNode): string {
  const seen = seenOfList(node);
  return seen === undefined ? describe(node, 2) : `${describe(node, 2)} (of the first ${grouped(seen)})`;
}

function seenOfList({ elements }: ShapeNode): number | undefined {
  return elements !== undefined && elements.unseen > 0 ? elements.seen : undefined;
}

function describe(node: ShapeNode, depth: number): string {
  const told = [...node.types].map((type) => {
    if (type === 'number') return `number${rangeOf(node.numbers)}`;
    if (type === 'string')
      return node.longestText > longText ? `string of up to ${grouped(node.longestText)} bytes` : type;
    if (type === 'array') return describeArray(node, depth);
    return type === 'object' ? `object${membersOf(node, depth)}` : type;
  });
  return told.length === 0 ? 'unknown' : told.join(' | ');
}

function describeArray({ lengths, elements }: ShapeNode, depth: number): string {
  if (lengths === undefined || elements === undefined || lengths.most === 0) return 'empty array';
  const { least, most } = lengths;
  const length = least === most ? grouped(most) : `${grouped(least)}…${grouped(most)}`;
  return `array of ${length} ${describeMany(elements, depth, least === most ? most : undefined)}`;
}

/** `length`: how many there are; undefined: now so many, now others. */
function describeMany(node: ShapeNode, depth: number, length = 0): string {
  const [type, ...others] = node.types;
  const so = (noun: string): string => nouns(length, noun);
  if (others.length > 0 || type === undefined) return `${so('value')} (${describe(node, depth - 1)})`;
  if (type === 'object') return so('object') + membersOf(node, depth);
  if (type === 'number') return so('number') + rangeOf(node.numbers);
  if (type === 'array' && depth > 1) return `${so('array')} (${describeArray(node, depth - 1)})`;
  return so(type);
}

function membersOf({ members = new Map<string, ShapeNode>(), moreMembers }: ShapeNode, depth: number): string {
  if (members.size === 0) return '';
  if (depth === 0)
    return ` of ${grouped(members.size)}${moreMembers > 0 ? ' and more' : ''} ${nouns(members.size + moreMembers, 'member')}`;
  const told = [...members].slice(0, innerMembers).map(([name, node]) => {
    return `${shortName(name)}: ${describe(node, depth - 1)}`;
  });
  const untold = members.size - told.length + moreMembers;
  return ` {${told.join(', ')}${untold > 0 ? `, and ${grouped(untold)} more` : ''}}`;
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
