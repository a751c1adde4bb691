/**
 * Where tests make their thousands of homes and databases: in memory, where the system has a folder there, for nobody
 * reads them again.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** POSIX shared memory: on most Linux systems a file system that is memory. */
const folder = '/dev/shm';

/** The largest files of the tests, those of all that run at once, and as much again. */
const neededBytes = 4 * 1024 ** 3;

/**
 * Has temporary files made in memory by this process and all that it starts, unless somebody has said where they go;
 * gone when it ends.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return;
  if (!hasRoom() || !runsPrograms() || hasBoxes()) return;
  // Of this run alone, and gone with it: what tests leave behind would fill the memory until the next start of the
  // machine.
  const own = mkdtempSync(join(folder, 't-'));
  // PostgreSQL, which is another user where tests run as root, has to come through.
  chmodSync(own, 0o711);
  process.env['TMPDIR'] = own;
  process.once('exit', () => rmSync(own, { recursive: true, force: true, maxRetries: 3 }));
}

/** Of a container it may be a few megabytes, and what is free of it may be more than what is free of the memory. */
function hasRoom(): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= neededBytes && process.availableMemory() >= neededBytes;
  } catch {
    return false;
  }
}

/** Some mount it so that nothing in it can be run, as tests do with programs that they write. */
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

/** A box is never allowed a folder below /dev; the tests that put servers into boxes allow some of their own. */
function hasBoxes(): boolean {
  return spawnSync('bwrap', ['--version']).status === 0;
}
