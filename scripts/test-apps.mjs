/**
 * `npm run test:apps`: the writers of client apps' files at length: 5 MB for every app, a thousand kills, thousands of
 * foreign writes. Further arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const args = [vitest, 'run', '--reporter=verbose', 'tests/core/client-apps/', ...process.argv.slice(2)];
const env = { ...process.env, TOOLTRAY_TEST_APPS: 'all' };
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
