/** Flattens a value to the rows of a tree, without collapsed ones. Pure. */
import { count } from '../../lib/format.ts';
import type { LinePlaces } from './line-places.ts';
import { SpelledNumber } from './spelled-json.ts';

export interface TreeRow {
  /** Path, used as the row's key: `$["issues"][3]`. */
  readonly path: string;
  readonly depth: number;
  /** Name or index within its parent; empty at the top. */
  readonly name: string;
  readonly isIndex: boolean;
  readonly value: unknown;
  readonly isOpen: boolean;
  /** Number of elements; undefined for scalars. */
  readonly size: number | undefined;
  /** Line of the file in which it starts, 1-based; undefined: unknown. */
  readonly line: number | undefined;
}

/** Elements per parent shown initially. */
export const shownElements = 200;
const fewElements = 20;
/** Maximum length of a value in a row, and in a group's summary. */
const maxTextLength = 300;
const maxPreviewLength = 40;
const membersInGist = 4;

/**
 * `open`: expanded paths. `limits`: number of elements shown per parent, if more than the
 * default.
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

/** Row for elements that are not shown. */
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
  // Avoids creating entries of a million elements for the two hundred shown.
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

/** `$["issues"][3]` in short form: `$.issues[3]`. */
export function shortPath(path: string): string {
  return path.replace(/\["([A-Za-z_]\w*)"\]/g, '.$1');
}

/** A match in a value: its path, its ancestors' paths, and its place in the innermost list. */
export interface FoundValue {
  readonly path: string;
  readonly parents: readonly string[];
  /** Number of elements that must be shown, by the list's path. */
  readonly needed: ReadonlyMap<string, number>;
}

const maxFound = 500;

/** Names and values that contain this text, in tree order, case-insensitive. */
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

/** Initially expanded paths: the top, and small or only children. */
export function firstOpen(value: unknown): ReadonlySet<string> {
  const open = new Set(['$']);
  if (Array.isArray(value) || (sizeOf(value) ?? 0) > fewElements) return open;
  const groups = Object.entries(value ?? {}).filter(([, child]) => sizeOf(child) !== undefined);
  for (const [name, child] of groups) {
    if (groups.length === 1 || (sizeOf(child) ?? 0) <= fewElements) open.add(`$[${JSON.stringify(name)}]`);
  }
  return open;
}

/** Summary of a collapsed group: `{number: 1, title: "A", … 6 members}`. */
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
