/** Builds dist/ when its sources have changed. */
import { join } from 'node:path';
import { findNode } from './node-versions.mjs';
import { runQuietly, stage } from './progress.mjs';
import { SetupError } from './setup-error.mjs';
import { hashOf, hasStamp, writeStamp } from './stamp.mjs';

/** Everything the content of dist/ depends on. */
const sources = [
  'src-main',
  'src-renderer',
  'resources',
  'scripts/notices',
  'scripts/python-image',
  'package.json',
  'package-lock.json',
  'svelte.config.js',
  'tsconfig.json',
  'vite.config.ts',
];

/** Rejects with SetupError when the build fails. */
export async function ensureBuild(root) {
  const stamp = join(root, 'dist', '.sources');
  const wanted = hashOf(root, sources);
  if (hasStamp(stamp, wanted)) return;

  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const status = await stage('Building', () =>
    runQuietly(findNode(root), [vite, 'build', '--app', '--logLevel', 'warn'], { cwd: root }),
  );
  if (status !== 0) throw new SetupError('The build failed; its own words are above. dist/ is not complete.');
  // The build empties dist/ first, so one that was broken off leaves no stamp and is repeated.
  writeStamp(stamp, wanted);
}
