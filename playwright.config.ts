/** End-to-end tests: the built core serving the built page to a real browser. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './scripts/browser.mjs';

const address = 'http://127.0.0.1:4190';

// Every worker loads this file again; the folder is made once and handed down.
process.env['TOOLTRAY_HOME'] = process.env['TOOLTRAY_E2E_HOME'] ??= mkdtempSync(join(tmpdir(), 'tooltray-e2e-'));

export default defineConfig({
  testDir: 'tests/e2e',
  reporter: 'list',
  workers: 1,
  webServer: {
    command: 'node dist/cli.js serve --port 4190 --no-open --no-token',
    url: address,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 5_000 },
  },
  use: {
    baseURL: address,
    viewport: { width: 1000, height: 700 },
    launchOptions: { executablePath: findBrowser(), chromiumSandbox: process.getuid?.() !== 0 },
  },
});
