/** Places tests' temporary folders in memory, if the system supports it. */
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** POSIX shared memory: a memory file system on most Linux systems. */
const folder = '/dev/shm';

/** The largest files of concurrent tests, twice. */
const neededBytes = 4 * 1024 ** 3;

/** Creates temporary files of this process and its children in memory, unless TMPDIR is set; deleted when it ends. */
export function keepTemporaryFilesInMemory(): void {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return;
  if (!hasRoom() || !runsPrograms() || hasBoxes()) return;
  // Per run, and deleted afterwards: leftovers would use memory until the next boot.
  const own = mkdtempSync(join(folder, 't-'));
  // PostgreSQL, which runs as another user if tests run as root, needs access.
  chmodSync(own, 0o711);
  process.env['TMPDIR'] = own;
  process.once('exit', () => rmSync(own, { recursive: true, force: true, maxRetries: 3 }));
}

/** In a container it may have a few megabytes, and its free space may exceed the free memory. */
function hasRoom(): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= neededBytes && process.availableMemory() >= neededBytes;
  } catch {
    return false;
  }
}

/** Some systems mount it with noexec, but tests run programs that they write. */
function runsPrograms(): boolean {
  const own = mkdtempSync(join(folder, 'tooltray-'));
  try {
    const program = join(own, 'program');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o700);
    return spawnSync(program).status === 0;
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** A sandbox is never allowed a folder below /dev, but sandbox tests allow their own folders. */
function hasBoxes(): boolean {
  return spawnSync('bwrap', ['--version']).status === 0;
}
