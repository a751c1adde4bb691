/** Structure of the sources: no circular imports, small folders, private parts of workers. */
import { posix } from 'node:path';
import { importsOf, type Source } from './source.ts';

/** Larger folders are hard to navigate. */
const mostFiles = 30;

/** A folder whose files run in their own thread or process. */
const workerFolder = /^(.*\/[a-z]+-worker)(?:\/|$)/;

type Edges = ReadonlyMap<string, readonly string[]>;

/** Circular imports, including types and dynamic imports: each as its list of files. */
export function circles(sources: readonly Source[]): string[] {
  const edges = edgesOf(sources);
  return knots([...edges.keys()], edges).map((files) => files.sort().join(' <-> '));
}

/** Folders that import each other, except a folder and its subfolders. */
export function mutualFolders(sources: readonly Source[]): string[] {
  const pairs = new Set<string>();
  for (const [file, imported] of edgesOf(sources)) {
    for (const other of imported) pairs.add(`${posix.dirname(file)} -> ${posix.dirname(other)}`);
  }
  return [...pairs].filter((pair) => {
    const [from = '', to = ''] = pair.split(' -> ');
    const areOne = from === to || from.startsWith(`${to}/`) || to.startsWith(`${from}/`);
    return !areOne && from < to && pairs.has(`${to} -> ${from}`);
  });
}

export function crowdedFolders(sources: readonly Source[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > mostFiles).map(([folder, count]) => `${folder} has ${count} files`);
}

/** Files of a worker's folder that others may import: only the messages exchanged with it, and types. */
export function intruders(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap(({ file, typeOnly, line }) => {
      const folder = workerFolder.exec(file === undefined ? '' : posix.dirname(file))?.[1];
      if (folder === undefined || file === undefined || typeOnly || file.endsWith('-messages.ts')) return [];
      return source.path.startsWith(`${folder}/`) ? [] : [`${source.path}:${line} must not import ${file}`];
    }),
  );
}

function edgesOf(sources: readonly Source[]): Edges {
  const known = new Set(sources.map(({ path }) => path));
  const within = (source: Source): string[] =>
    importsOf(source).flatMap(({ file }) => (file !== undefined && known.has(file) ? [file] : []));
  return new Map(sources.map((source) => [source.path, within(source)]));
}

/** Strongly connected components (Tarjan 1972). */
function knots(files: readonly string[], edges: Edges): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) ?? 0);
    open.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const knot = open.splice(open.indexOf(file));
    if (knot.length > 1) found.push(knot);
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}
