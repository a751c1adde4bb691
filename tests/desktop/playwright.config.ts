/** Drives the desktop app, on Electron if it is installed, otherwise on the stand-in. */
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { keepTemporaryFilesInMemory } from '../../scripts/test/memory-folder.ts';
import { beWhereItIsNoon } from '../../scripts/test/noon.ts';
import { electronEnv, isReal } from './which-electron.ts';

// Every worker loads this file, and the `electron` package looks here for the binary.
Object.assign(process.env, electronEnv());

// As in vitest.config.ts: cores and client apps start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/compiled');

keepTemporaryFilesInMemory();
beWhereItIsNoon();

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../../test-results/desktop',
  reporter: 'list',
  // The system has one tray and one focused window; each stand-in has its own.
  workers: isReal ? 1 : 2,
  // As in the other config.
  retries: process.env['TOOLTRAY_TEST_RETRIES'] === '0' ? 0 : 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  globalSetup: './say-which.ts',
});
