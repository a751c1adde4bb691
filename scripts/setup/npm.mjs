/** Runs npm, the very one that runs us where there is one. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { runQuietly } from './progress.mjs';
import { SetupError } from './setup-error.mjs';

/** Exit code of `npm …args`, its output shown as it comes. Throws SetupError when there is no npm. */
export function npm(root, args) {
  const { status, error } = start(args, { cwd: root, stdio: 'inherit' });
  if (error?.code === 'ENOENT') throw noNpm();
  return status ?? 1;
}

/** The same without its output, which is shown only where npm fails. Rejects with SetupError when there is no npm. */
export async function npmQuietly(root, args) {
  const [command, words, options] = commandOf(args);
  try {
    return await runQuietly(command, words, { cwd: root, ...options });
  } catch (error) {
    if (error.code === 'ENOENT') throw noNpm();
    throw error;
  }
}

function start(args, options) {
  const [command, words, how] = commandOf(args);
  return spawnSync(command, words, { ...options, ...how });
}

function commandOf(args) {
  const script = process.env.npm_execpath;
  // No shell, and no npm.cmd to quote for on Windows. The Node to start it with is not process.execPath:
  // that may be the one in node_modules, which an install is about to replace.
  if (script?.endsWith('.js')) return [process.env.npm_node_execpath ?? process.execPath, [script, ...args], {}];
  const windows = process.platform === 'win32';
  return [windows ? 'npm.cmd' : 'npm', args, { shell: windows }];
}

function noNpm() {
  return new SetupError('npm was not found. Install Node.js together with npm.');
}
