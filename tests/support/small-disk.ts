/**
 * Runs one of our scripts with a folder on a small disk that can be filled: a tmpfs in a user namespace, so that no
 * privileges are needed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Whether this computer permits it; otherwise tests are skipped. */
export const hasSmallDisk =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' }).status === 0;

/**
 * Mounts a disk of this many megabytes at `folder`, runs `script` with it as its argument, and returns the output.
 * Rejects if it fails.
 */
export async function runOnSmallDisk(script: string, folder: string, megabytes: number): Promise<string> {
  const command = 'mount -t tmpfs -o size="$1"m tmpfs "$2" && exec "$3" "$4" "$2"';
  const words = ['-rm', 'sh', '-c', command, 'sh', String(megabytes), folder, process.execPath, script];
  const child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const printed = await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`${script} ended with code ${code}: ${printed}`);
  return printed;
}
