/** End-to-end tests: the built core serving the built page to a real browser; each test starts the core that it needs. */
import process from 'node:process';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './scripts/browser.mjs';

export default defineConfig({
  testDir: 'tests/e2e',
  reporter: 'list',
  // Each file starts a core of its own, in a home of its own.
  workers: 2,
  use: {
    viewport: { width: 1000, height: 700 },
    launchOptions: { executablePath: findBrowser(), chromiumSandbox: process.getuid?.() !== 0 },
  },
});
