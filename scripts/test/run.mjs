/**
 * `npm test`: everything. `npm test -- FILE …`: these files alone, each by the runner that it belongs to; flags go to
 * the runner.
 *
 *   npm test -- tests/core/modes/search-mode.test.ts
 *   npm test -- tests/e2e/servers.spec.ts --headed
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runnersOf } from './runners.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Playwright's workers, and those of the desktop's tests, take from here what has been compiled already.
process.env['PLAYWRIGHT_TRANSFORM_CACHE_DIR'] ??= join(root, 'node_modules/.cache/playwright');

process.exitCode = 0;
for (const words of runnersOf(process.argv.slice(2))) {
  if (!run(words)) break;
}

/** npm has put the runners on PATH. */
function run([tool, ...words]) {
  const { status, error } = spawnSync(tool, words, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exitCode = status ?? 1;
  return status === 0;
}
