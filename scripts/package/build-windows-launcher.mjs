/**
 * Builds resources/windows/tooltray.exe from the source next to it: `node scripts/package/build-windows-launcher.mjs`,
 * with mingw-w64.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../resources/windows');
const source = join(folder, 'tooltray.c');
const digest = createHash('sha256').update(readFileSync(source)).digest('hex');

execFileSync(
  'x86_64-w64-mingw32-gcc',
  [
    ...['-std=c11', '-Os', '-s', '-Wall', '-Wextra', '-Werror', '-municode', '-static', '-mconsole'],
    // The same source gives the same bytes.
    '-Wl,--no-insert-timestamp,--dynamicbase,--nxcompat,--high-entropy-va',
    `-DSOURCE_DIGEST="${digest}"`,
    ...['-o', join(folder, 'tooltray.exe'), source],
  ],
  { stdio: 'inherit' },
);
