/**
 * Installs exactly the packages of package-lock.json, the pinned Node among them, when node_modules does not fit it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { findNode, runsTooltray } from './node-versions.mjs';
import { npmQuietly } from './npm.mjs';
import { stage } from './progress.mjs';
import { SetupError } from './setup-error.mjs';
import { hashOf, hasStamp, writeStamp } from './stamp.mjs';

/**
 * Flags on the command line win over the user's own npm settings and environment, of which each of these can break the
 * install: NODE_ENV=production drops the build tools, engine-strict refuses packages made for Node 22 and newer while
 * it is an older Node that installs them, and ignore-scripts leaves the pinned Node out.
 */
const installFlags = [
  '--include=dev',
  '--include=optional',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

/** Rejects with SetupError where the packages cannot be had. */
export async function ensurePackages(root) {
  const modules = join(root, 'node_modules');
  const stamp = join(modules, '.setup');
  const wanted = `${hashOf(root, ['package-lock.json', '.npmrc'])} ${process.platform} ${process.arch}`;
  // Without the pinned Node, a stamp of a day on which a newer one was in use is worth nothing.
  if (hasStamp(stamp, wanted) && findNode(root) !== undefined) return;

  // On Windows the running node.exe may be the one in node_modules, which `npm ci` would have to delete first.
  const command = process.platform === 'win32' && existsSync(modules) ? 'install' : 'ci';
  const status = await stage('Installing packages', () =>
    npmQuietly(root, [command, ...installFlags, '--ignore-scripts=false']),
  );
  if (status !== 0) await retryWithoutScripts(root, command, status);
  if (findNode(root) === undefined) throw new SetupError(noNode());
  writeStamp(stamp, wanted);
}

/** The only script that matters fetches the pinned Node; it can be spared where the Node at hand is new enough. */
async function retryWithoutScripts(root, command, status) {
  if (!runsTooltray()) throw new SetupError(installFailed(command, status));
  const label = `npm ${command} failed; trying without install scripts, with Node ${process.version}`;
  const retried = await stage(label, () => npmQuietly(root, [command, ...installFlags, '--ignore-scripts']));
  if (retried !== 0) throw new SetupError(installFailed(command, retried));
}

function installFailed(command, status) {
  return (
    `\`npm ${command}\` ended with code ${status}; its own words are above. ` +
    'Check that the npm registry can be reached, then run the same command again. ' +
    'With Node.js 24.15 or newer installed, set-up can also do without the pinned Node.'
  );
}

function noNode() {
  return (
    `The pinned Node 24 was not installed, and ${process.version} is too old to run Tooltray. ` +
    'Allow install scripts for the package "node", or install Node.js 24.15 or newer, and run the same command again.'
  );
}
