/**
 * Entry: the server inside the bundle for Claude Desktop. Where Tooltray is installed as an app its launcher does the
 * work, since it can start a core; else this is the shim itself, which reaches a core that runs, or asks the command
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
