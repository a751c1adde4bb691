/**
 * `npm run test:hostile`: heavy hostile load for several minutes. A separate config, since it uses the whole computer.
 */
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
