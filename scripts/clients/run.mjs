/**
 * `npm run test:clients`: every real client app, those too that are too big for the tests of every day.
 * Further arguments go to vitest: `npm run test:clients -- -t claude`.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { installPackages } from './install-packages.mjs';

try {
  await installPackages({ all: true });
  process.exitCode = runTests(process.argv.slice(2));
} catch (error) {
  if (error.name !== 'SetupError') throw error;
  console.error(`\ntest:clients: ${error.message}\n`);
  process.exitCode = 1;
}

function runTests(more) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const args = [vitest, 'run', '--reporter=verbose', 'tests/real/', ...more];
  const env = { ...process.env, TOOLTRAY_TEST_CLIENTS: 'all' };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
}
