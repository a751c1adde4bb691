/** Compares the code map of src-main/README.md with the import order and with the folders that exist. */
import { readdirSync } from 'node:fs';
import { layerOf, layers } from './import-rules.ts';

/** Paths below src-main in the first column of the code map, in order; a row may name several. */
export function mappedPaths(readme: string): string[] {
  const section = /^## Code map\n(.*?)(?=^## |\n\*\*)/ms.exec(readme)?.[1] ?? '';
  const firstCells = section.split('\n').flatMap((line) => /^\| (`.*?) *\|/.exec(line)?.[1] ?? []);
  return firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path));
}

/** Layers without a row, and rows that are not in the order of `layers`. */
export function misplacedRows(readme: string): string[] {
  const paths = mappedPaths(readme);
  const isFolder = (path: string): boolean => !path.endsWith('.ts');
  const rows = paths.map((path) =>
    layerOf(`src-main/${path.replace('*', 'aggregator')}${isFolder(path) ? '/a.ts' : ''}`),
  );
  const missing = layers.filter((layer) => !rows.includes(layer));
  const positions = rows.map((layer) => (layer === undefined ? -1 : layers.indexOf(layer)));
  return [...missing, ...paths.filter((_, at) => (positions[at] ?? -1) < (positions[at - 1] ?? 0))];
}

/** Folders of src-main and of its core that the code map does not name. */
export function unmappedFolders(root: string, readme: string): string[] {
  const paths = mappedPaths(readme);
  const foldersOf = (path: string): string[] =>
    readdirSync(`${root}/${path}`, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  const folders = [
    ...foldersOf('src-main').filter((name) => name !== 'core'),
    ...foldersOf('src-main/core').map((name) => `core/${name}`),
  ];
  return folders.filter((folder) => !paths.includes(folder));
}

/** Differences between the folders of `team` and the table in _Team_: folders without a row, and rows without a folder. */
export function teamTableDifferences(root: string, readme: string): string[] {
  const section = /^## Team\n(.*?)(?=^## )/ms.exec(readme)?.[1] ?? '';
  const cells = section.split('\n').flatMap((line) => /^\| (`.*?) *\|/.exec(line)?.[1] ?? []);
  const rows = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const entries = readdirSync(`${root}/src-main/team`, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return [
    ...folders.filter((name) => !rows.includes(name)),
    ...rows.filter((name) => !folders.includes(name)),
  ].toSorted();
}
