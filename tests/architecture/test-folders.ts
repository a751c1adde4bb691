/** The tests' folders follow the sources': whoever moves a source takes its tests along. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** Beside these, tests/ has folders by kind of test: integration, e2e, real, hostile and what they share. */
const mirrored = '{core,cli,rpc,host,desktop,shim,client,renderer}';

/** Folders of tests whose counterpart among the sources is not there (any more). */
export function foldersWithoutSource(root: string): string[] {
  const folders = globSync(`tests/${mirrored}{,/**/}`, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return folders.map((path) => path.replace(/\/$/, '')).filter((path) => !existsSync(join(root, sourceOf(path))));
}

function sourceOf(folder: string): string {
  const path = folder.slice('tests/'.length);
  return path.startsWith('renderer') ? `src-${path}` : `src-main/${path}`;
}
