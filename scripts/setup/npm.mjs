/** Runs npm, the very one that runs us where there is one. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { SetupError } from './setup-error.mjs';

/** Exit code of `npm …args`, its output shown as it comes. Throws SetupError when there is no npm. */
export function npm(root, args) {
  const { status, error } = start(args, { cwd: root, stdio: 'inherit' });
  if (error?.code === 'ENOENT') throw new SetupError('npm was not found. Install Node.js together with npm.');
  return status ?? 1;
}

function start(args, options) {
  const script = process.env.npm_execpath;
  // No shell, and no npm.cmd to quote for on Windows. The Node to start it with is not process.execPath:
  // that may be the one in node_modules, which an install is about to replace.
  if (script?.endsWith('.js')) {
    return spawnSync(process.env.npm_node_execpath ?? process.execPath, [script, ...args], options);
  }
  const windows = process.platform === 'win32';
  return spawnSync(windows ? 'npm.cmd' : 'npm', args, { ...options, shell: windows });
}
