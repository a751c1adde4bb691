/** End-to-end tests: the built core serving the built page to a real browser; each test starts the core that it needs. */
import { join } from 'node:path';
import process from 'node:process';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './scripts/browser.mjs';
import { keepTemporaryFilesInMemory } from './scripts/test/memory-folder.ts';
import { beWhereItIsNoon } from './scripts/test/noon.ts';

// As in vitest.config.ts: cores and client apps start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

keepTemporaryFilesInMemory();
beWhereItIsNoon();

export default defineConfig({
  testDir: 'tests/e2e',
  reporter: 'list',
  // Each file starts a core of its own, in a home of its own.
  workers: 3,
  // As in vitest.config.ts; Playwright lists such a test as flaky.
  retries: process.env['TOOLTRAY_TEST_RETRIES'] === '0' ? 0 : 1,
  // As long as in the desktop's: two cores that start a dozen processes at once may need seconds for one step.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // As in vitest.config.ts: proofs that take as long as many others together are for `npm run test:long`.
  projects: [
    { name: 'usual', grepInvert: /@long/ },
    { name: 'long', grep: /@long/ },
  ],
  use: {
    viewport: { width: 1000, height: 700 },
    launchOptions: { executablePath: findBrowser(), chromiumSandbox: process.getuid?.() !== 0 },
  },
});
