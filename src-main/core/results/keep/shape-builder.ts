/** Gathers what JSON looks like while it passes: members and their types, lengths of lists, ranges of numbers; bounded whatever comes. */

export type ScalarType = 'string' | 'number' | 'boolean' | 'null';

export interface Range {
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
