/** Installs what the bench measures beside Tooltray into .cache/bench, away from Tooltray's own packages. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../setup/lock.mjs';
import { npm } from '../setup/npm.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { hashOf, hasStamp, writeStamp } from '../setup/stamp.mjs';
import { cacheDir, root } from './places.mjs';

const listFiles = ['package.json', 'package-lock.json'];

/** Thirteen real servers. Does nothing when they are there. Rejects with SetupError where they cannot be had. */
export function installServers() {
  return install('servers', 'thirteen real servers (600 MB)');
}

/** The bridges from stdio to HTTP that calls are compared with. */
export function installPeers() {
  return install('peers', 'two bridges of npm (60 MB)');
}

async function install(kind, what) {
  const listFolder = join(root, 'scripts', 'bench', kind);
  const folder = join(cacheDir, kind);
  mkdirSync(folder, { recursive: true });
  const releaseLock = await takeLock(folder);
  try {
    const stamp = join(folder, '.installed');
    const list = `${hashOf(listFolder, listFiles)} ${process.platform} ${process.arch}`;
    if (hasStamp(stamp, list)) return;
    rmSync(stamp, { force: true });
    console.log(`Installing ${what} into .cache/bench/${kind} …`);
    for (const file of listFiles) copyFileSync(join(listFolder, file), join(folder, file));
    runNpm(kind, folder);
    writeStamp(stamp, list);
  } finally {
    releaseLock();
  }
}

function runNpm(kind, folder) {
  const how = ['--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];
  // The prefix is named: run by npm, npm would take the folder of the outer one from the environment.
  const status = npm(folder, ['ci', '--prefix', folder, ...how, '--fetch-retries=1']);
  if (status !== 0)
    throw new SetupError(`npm ci for scripts/bench/${kind} ended with code ${status}; see its words above.`);
}

/** The command line of an installed package's program. */
export function programOf(packageName, kind = 'servers') {
  const place = join(cacheDir, kind, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return [process.execPath, join(place, file)];
}
