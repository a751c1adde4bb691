/** How the tests of the core run. */
import process from 'node:process';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // Packing takes a while: `npm run test:package`.
    exclude: ['tests/package/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most of them wait for processes: one more than CI has cores.
    maxWorkers: 3,
    // Hundreds of real processes share CI's two cores; what fails twice in a row is broken, and a first failure is still printed.
    retry: process.env['CI'] === undefined ? 0 : 1,
  },
});
