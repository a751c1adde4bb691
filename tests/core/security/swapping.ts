/** Keeps replacing a path by a link to elsewhere, in a separate process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const swapper = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs');
  const [path, outside] = process.argv.slice(1);
  // The tested code may create the folder again while it is moved.
  const forPath = (put) => {
    for (;;) {
      try {
        return put();
      } catch {}
      try {
        rmSync(path, { recursive: true });
      } catch {}
    }
  };
  process.stdout.write('swapping');
  for (;;) {
    renameSync(path, path + '-real');
    forPath(() => symlinkSync(outside, path));
    forPath(() => renameSync(path + '-real', path));
  }
`;

/** Swaps `path` as fast as it can. Returns once swapping has started; disposing ends it. */
export async function swapping(path: string, outside: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, ['-e', swapper, path, outside], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const dispose = async (): Promise<void> => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
  };
  return { [Symbol.asyncDispose]: dispose };
}
