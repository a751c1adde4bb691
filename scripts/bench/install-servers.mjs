/** Installs the real servers that the bench counts into .cache/bench/servers, away from Tooltray's own packages. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../setup/lock.mjs';
import { npm } from '../setup/npm.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { hashOf, hasStamp, writeStamp } from '../setup/stamp.mjs';
import { cacheDir, root } from './places.mjs';

const listFolder = join(root, 'scripts', 'bench', 'servers');
const listFiles = ['package.json', 'package-lock.json'];
const folder = join(cacheDir, 'servers');

/** Does nothing when they are there. Rejects with SetupError where they cannot be had. */
export async function installServers() {
  mkdirSync(folder, { recursive: true });
  const releaseLock = await takeLock(folder);
  try {
    const stamp = join(folder, '.installed');
    const list = `${hashOf(listFolder, listFiles)} ${process.platform} ${process.arch}`;
    if (hasStamp(stamp, list)) return;
    rmSync(stamp, { force: true });
    install();
    writeStamp(stamp, list);
  } finally {
    releaseLock();
  }
}

function install() {
  console.log('Installing thirteen real servers into .cache/bench/servers (600 MB) …');
  for (const file of listFiles) copyFileSync(join(listFolder, file), join(folder, file));
  const how = ['--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];
  // The prefix is named: run by npm, npm would take the folder of the outer one from the environment.
  const status = npm(folder, ['ci', '--prefix', folder, ...how, '--fetch-retries=1']);
  if (status !== 0)
    throw new SetupError(`npm ci for scripts/bench/servers ended with code ${status}; see its words above.`);
}

/** The command line of an installed package's program. */
export function programOf(packageName) {
  const place = join(folder, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return [process.execPath, join(place, file)];
}
