/** A value as the rows of a tree: those that are folded in are not there. Pure. */
import { count } from '../../lib/format.ts';
import type { LinePlaces } from './line-places.ts';
import { SpelledNumber } from './spelled-json.ts';

export interface TreeRow {
  /** Where it is: `$["issues"][3]`; names the row. */
  readonly path: string;
  readonly depth: number;
  /** Name or number within its parent; empty for the topmost. */
  readonly name: string;
  readonly isIndex: boolean;
  readonly value: unknown;
  readonly isOpen: boolean;
  /** How many it holds; undefined for what holds none by its nature. */
  readonly size: number | undefined;
  /** The line of the file in which it begins, from 1; undefined: not known. */
  readonly line: number | undefined;
}

/** Elements of one parent that are shown at first; more on wish. */
export const shownElements = 200;
const fewElements = 20;
/** Longest text of a value in one row, and within the gist of a group. */
const maxTextLength = 300;
const maxPreviewLength = 40;
const membersInGist = 4;

/**
 * `open`: paths that are unfolded. `limits`: how many of a parent's elements are shown, where it is more than the
 * usual.
 */
export function treeRows(
  value: unknown,
  open: ReadonlySet<string>,
  limits: ReadonlyMap<string, number> = new Map(),
  places?: LinePlaces,
): readonly (TreeRow | MoreRow)[] {
  const rows: (TreeRow | MoreRow)[] = [];
  const line = places === undefined ? undefined : 1;
  addRows(rows, { value, path: '$', depth: 0, name: '', isIndex: false, line }, { open, limits, places });
  return rows;
}

/** Stands for the elements that are not shown. */
export interface MoreRow {
  readonly path: string;
  readonly depth: number;
  readonly more: number;
}

type Place = Pick<TreeRow, 'value' | 'path' | 'depth' | 'name' | 'isIndex' | 'line'>;
interface Folding {
  readonly open: ReadonlySet<string>;
  readonly limits: ReadonlyMap<string, number>;
  readonly places: LinePlaces | undefined;
}

function addRows(rows: (TreeRow | MoreRow)[], place: Place, folding: Folding): void {
  const { value, path, depth } = place;
  const size = sizeOf(value);
  const isOpen = size !== undefined && folding.open.has(path);
  rows.push({ ...place, size, isOpen });
  if (size === undefined || !isOpen) return;
  const limit = folding.limits.get(path) ?? shownElements;
  const isIndex = Array.isArray(value);
  // Entries of a million elements are not made for the two hundred that are shown.
  const names = isIndex
    ? Array.from({ length: Math.min(size, limit) }, (_, at) => String(at))
    : Object.keys(value as object);
  let line = place.line === undefined ? undefined : place.line + 1;
  for (const name of names.slice(0, limit)) {
    const childPath = pathOf(path, name, isIndex);
    const child = (value as Record<string, unknown>)[name];
    addRows(rows, { value: child, path: childPath, depth: depth + 1, name, isIndex, line }, folding);
    if (line !== undefined) line += folding.places?.countOf(child) ?? 0;
  }
  if (size > limit) rows.push({ path, depth: depth + 1, more: size - limit });
}

function pathOf(parent: string, name: string, isIndex: boolean): string {
  return `${parent}[${isIndex ? name : JSON.stringify(name)}]`;
}

/** `$["issues"][3]` as users write it: `$.issues[3]`. */
export function shortPath(path: string): string {
  return path.replace(/\["([A-Za-z_]\w*)"\]/g, '.$1');
}

/** What is found in a value: its path, the paths of what holds it, and its place in the last list that holds it. */
export interface FoundValue {
  readonly path: string;
  readonly parents: readonly string[];
  /** By the path of a list: how many elements of it have to be shown. */
  readonly needed: ReadonlyMap<string, number>;
}

const maxFound = 500;

/** Names and values with this text in them, in the order of the tree, upper and lower case alike. */
export function findInTree(value: unknown, text: string): readonly FoundValue[] {
  const wanted = text.toLowerCase();
  const found: FoundValue[] = [];
  const look = (
    own: unknown,
    name: string,
    path: string,
    parents: readonly string[],
    needed: ReadonlyMap<string, number>,
  ): void => {
    if (found.length >= maxFound) return;
    const isGroup = sizeOf(own) !== undefined;
    const words = isGroup ? name : `${name} ${own instanceof SpelledNumber ? own.text : String(own)}`;
    if (words.toLowerCase().includes(wanted)) found.push({ path, parents, needed });
    if (!isGroup) return;
    const isIndex = Array.isArray(own);
    for (const [key, child] of isIndex ? own.entries() : Object.entries(own as object)) {
      const more = isIndex && Number(key) >= shownElements ? new Map([...needed, [path, Number(key) + 1]]) : needed;
      look(child, isIndex ? '' : String(key), pathOf(path, String(key), isIndex), [...parents, path], more);
    }
  };
  if (wanted !== '') look(value, '', '$', [], new Map());
  return found;
}

/** The topmost, and what it holds where that is little or the only thing there: enough to see what there is. */
export function firstOpen(value: unknown): ReadonlySet<string> {
  const open = new Set(['$']);
  if (Array.isArray(value) || (sizeOf(value) ?? 0) > fewElements) return open;
  const groups = Object.entries(value ?? {}).filter(([, child]) => sizeOf(child) !== undefined);
  for (const [name, child] of groups) {
    if (groups.length === 1 || (sizeOf(child) ?? 0) <= fewElements) open.add(`$[${JSON.stringify(name)}]`);
  }
  return open;
}

/** What is inside of a group that is folded in: `{number: 1, title: "A", … 6 members}`. */
export function gist(value: object): string {
  const isList = Array.isArray(value);
  const members = isList
    ? value.slice(0, membersInGist).map((child) => inGist(child))
    : Object.entries(value)
        .slice(0, membersInGist)
        .map(([name, child]) => `${name}: ${inGist(child)}`);
  const size = sizeOf(value) ?? 0;
  const rest = size > membersInGist ? [`… ${count(size, isList ? 'element' : 'member')}`] : [];
  const inside = [...members, ...rest].join(', ');
  return isList ? `[${inside}]` : `{${inside}}`;
}

function inGist(value: unknown): string {
  if (sizeOf(value) !== undefined) return Array.isArray(value) ? '[…]' : '{…}';
  const text = valueText(value);
  return text.length > maxPreviewLength ? `${text.slice(0, maxPreviewLength)}…` : text;
}

/** `"text"`, `12`, `{3 members}`, `[400 elements]`. */
export function valueText(value: unknown): string {
  if (value instanceof SpelledNumber) return value.text;
  const size = sizeOf(value);
  if (size !== undefined) return Array.isArray(value) ? `[${count(size, 'element')}]` : `{${count(size, 'member')}}`;
  const text = JSON.stringify(value) ?? '';
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

export function valueKind(value: unknown): 'text' | 'number' | 'word' | 'group' {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || value instanceof SpelledNumber) return 'number';
  return sizeOf(value) === undefined ? 'word' : 'group';
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null || value instanceof SpelledNumber) return undefined;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
