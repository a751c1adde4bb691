/** The tests' folders mirror the sources', so that moved sources take their tests along. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** Beside these, tests/ has folders by kind of test: integration, e2e, real, hostile and what they share. */
const mirrored = '{core,cli,rpc,host,desktop,shim,client,renderer}';

/** Test folders without a counterpart in the sources. */
export function foldersWithoutSource(root: string): string[] {
  const folders = globSync(`tests/${mirrored}{,/**/}`, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return folders.map((path) => path.replace(/\/$/, '')).filter((path) => !existsSync(join(root, sourceOf(path))));
}

function sourceOf(folder: string): string {
  const path = folder.slice('tests/'.length);
  return path.startsWith('renderer') ? `src-${path}` : `src-main/${path}`;
}
