/**
 * Entry point of the server in the bundle for Claude Desktop. If the Tooltray app is installed, it runs its launcher,
 * which can start a core; otherwise it is the shim itself, which connects to a running core or asks the command
 * `tooltray` for one.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { resolveAppPaths, launcherPath } from './core/base/app-paths.ts';
import { runShim } from './shim/run-shim.ts';

const args = process.argv.slice(2);
const { platform } = process;
const launcher = launcherPath(resolveAppPaths(process.env, platform, homedir()).dataDir, platform);

if (existsSync(launcher)) runLauncher();
else {
  process.env['TOOLTRAY_CORE_COMMAND'] ??= JSON.stringify(['tooltray', 'serve', '--no-open', '--background']);
  void runShim(args, join(import.meta.dirname, 'cli.js')).then((code) => {
    process.exitCode = code;
  });
}

function runLauncher(): void {
  // The launcher is the whole command line.
  const child = spawn(launcher, ['stdio', ...args], { stdio: 'inherit', windowsHide: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`tooltray: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
