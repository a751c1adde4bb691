/**
 * The tools that the packager downloads to build an AppImage, replaced by the system's; its runtime is a dummy file.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const runtimeBytes = 4096;

export function makeAppImageTools(folder: string): void {
  const arch = process.arch;
  for (const part of ['runtimes', `lib/${arch}`].map((name) => join(folder, name)))
    mkdirSync(part, { recursive: true });
  for (const tool of ['mksquashfs', 'desktop-file-validate']) {
    symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(folder, tool));
  }
  writeFileSync(join(folder, `runtimes/runtime-${arch}`), Buffer.alloc(runtimeBytes), { mode: 0o755 });
}
