/** A disk of a few megabytes that can be filled and made read-only. Requires permission to mount. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Leaves no byte free. */
  fill(): void;
  empty(): void;
  makeReadOnly(readOnly: boolean): void;
}

/** Prints a message if it cannot. */
export function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'tooltray-mount-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path);
    run('umount', path);
    return true;
  } catch {
    console.warn('No right to mount a small disk: what happens on a full or read-only one is not tested here.');
    return false;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

export function mountSmall(path: string, megabytes: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path);
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => {
      for (const size of [1_000_000, 4096]) {
        for (let at = 0; tryWrite(`${filler}-${size}-${at}`, size); at++);
      }
    },
    empty: () => run('find', path, '-name', 'filler-*', '-delete'),
    makeReadOnly: (readOnly) => {
      // A separate mount over the first, which cannot be remounted while files are open.
      if (readOnly) {
        run('mount', '--bind', path, path);
        run('mount', '-o', 'remount,bind,ro', path);
      } else run('umount', '-l', path);
    },
    [Symbol.asyncDispose]: async () => run('umount', '-l', path),
  };
}

function tryWrite(file: string, size: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(size));
    return true;
  } catch {
    return false;
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'ignore' });
}
