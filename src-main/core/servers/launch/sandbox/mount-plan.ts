/**
 * Plans which parts of the disk a sandbox shows, and the order of the mounts. A server can rename what it may write,
 * and so redirect a mount below it at its next start. Every folder on the way to such a mount is therefore mounted onto
 * itself, which keeps it in place. Pure functions.
 */
import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '../../../security/file-paths.ts';

/** A file or folder visible in the sandbox, by its real path. */
export interface Place {
  readonly path: string;
  readonly writable: boolean;
  /** The source of its content, if that is another path; only the server's private home has one. */
  readonly source?: string;
}

export type Mount =
  | { readonly kind: 'bind'; readonly source: string; readonly path: string; readonly writable: boolean }
  | { readonly kind: 'empty'; readonly path: string };

/**
 * Returns the mounts in order; all paths are real. `hidden` lists folders that are covered wherever a place would show
 * them; `own` lists exceptions inside them that stay readable.
 */
export function planMounts(
  places: readonly Place[],
  hidden: readonly string[],
  own: readonly string[],
): readonly Mount[] {
  const shown = outermost(places);
  const mounts = new Map<string, Mount>();
  for (const place of shown) {
    for (const pin of pinsOf(place.path, enclosing(shown, place.path))) mounts.set(pin.path, pin);
    const { path, writable, source = path } = place;
    mounts.set(path, { kind: 'bind', source, path, writable });
  }
  for (const path of hidden) {
    const around = enclosing(shown, path);
    if (around === undefined || around.source !== undefined) continue;
    if (hidden.some((other) => other !== path && isInside(other, path))) continue;
    for (const pin of pinsOf(path, around)) if (!mounts.has(pin.path)) mounts.set(pin.path, pin);
    mounts.set(path, { kind: 'empty', path });
  }
  for (const path of own) {
    const isCovered = hidden.some((folder) => mounts.get(folder)?.kind === 'empty' && isInside(folder, path));
    if (!isCovered) for (const pin of pinsOf(path, enclosing(shown, path))) mounts.set(pin.path, pin);
    mounts.set(path, { kind: 'bind', source: path, path, writable: false });
  }
  // Mounts a folder before its content.
  return [...mounts.values()].toSorted((one, other) => depthOf(one.path) - depthOf(other.path));
}

/**
 * Omits places that another place already shows in the same way; of two with the same path, the writable one counts.
 */
function outermost(places: readonly Place[]): readonly Place[] {
  const byPath = new Map<string, Place>();
  for (const place of places) {
    const known = byPath.get(place.path);
    if (known === undefined || (place.writable && !known.writable)) byPath.set(place.path, place);
  }
  const mounted: Place[] = [];
  for (const place of [...byPath.values()].toSorted((one, other) => depthOf(one.path) - depthOf(other.path))) {
    const around = enclosing(mounted, place.path);
    const isShown = around !== undefined && around.source === undefined && around.writable === place.writable;
    if (!isShown) mounted.push(place);
  }
  return mounted;
}

/** Returns the innermost place that contains `path` and is not `path` itself. */
export function enclosing(places: readonly Place[], path: string): Place | undefined {
  return places
    .filter((place) => place.path !== path && isInside(place.path, path))
    .toSorted((one, other) => depthOf(other.path) - depthOf(one.path))[0];
}

/** Mounts each folder between a writable place and `path` onto itself. */
function pinsOf(path: string, around: Place | undefined): readonly Mount[] {
  if (around?.writable !== true) return [];
  const { source: root = around.path } = around;
  const pins: Mount[] = [];
  for (let at = dirname(path); at !== around.path; at = dirname(at)) {
    pins.unshift({ kind: 'bind', source: join(root, relative(around.path, at)), path: at, writable: true });
  }
  return pins;
}

function depthOf(path: string): number {
  return path === sep ? 0 : path.split(sep).length;
}
