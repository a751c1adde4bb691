/** `npm run test:hostile`: hours of bad neighbours in some minutes. On its own, since it takes the machine for itself. */
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/hostile/*.test.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    env: { TOOLTRAY_HOSTILE: 'whole' },
    disableConsoleIntercept: true,
  },
});
