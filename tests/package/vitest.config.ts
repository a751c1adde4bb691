/** `npm run test:package`: packs the app and inspects the packages. Separate, since packing takes a while. */
import { join } from 'node:path';
import process from 'node:process';
import { defineConfig } from 'vitest/config';

// As in vitest.config.ts: parts of the desktop app import `electron`, which without its binary would try to download
// one.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= join(import.meta.dirname, '../stand-in/bin');

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/package/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
