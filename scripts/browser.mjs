/** Finds a browser of the Chromium family for the end-to-end tests, or says how to get one. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { SetupError } from './setup/setup-error.mjs';

// Outside node_modules, which `npm ci` wipes.
export const npmBrowserFolder = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'browser');

/** Path of the browser to test with. Throws SetupError when there is none. */
export function findBrowser() {
  const found = lookForBrowser();
  if (found !== undefined) return found;
  throw new SetupError(
    'No Chromium, Chrome or Edge was found for the end-to-end tests. Install one of them, ' +
      'run `npx playwright install chromium`, or set CHROME_PATH to one.',
  );
}

/** As findBrowser, with undefined for none. */
export function lookForBrowser() {
  return candidates().find((path) => isExecutable(path) && starts(path));
}

function candidates() {
  const { CHROME_PATH } = process.env;
  return [
    ...(CHROME_PATH ? [CHROME_PATH] : []),
    chromium.executablePath(),
    ...playwrightHeadlessShells(),
    ...systemBrowsers(),
    join(npmBrowserFolder, 'chromium'),
  ];
}

/**
 * The headless shell is what Playwright installs for tests; it lies next to the full browser that it names as its own.
 */
function playwrightHeadlessShells() {
  const [, browsers, revision] = /^(.*)[\\/]chromium-(\d+)[\\/]/.exec(chromium.executablePath()) ?? [];
  const folder = join(browsers ?? '', `chromium_headless_shell-${revision}`);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((platform) =>
    ['chrome-headless-shell', 'headless_shell', 'chrome-headless-shell.exe', 'headless_shell.exe'].map((name) =>
      join(folder, platform, name),
    ),
  );
}

function systemBrowsers() {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
    );
  }
  if (process.platform === 'win32') {
    const folders = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];
    const apps = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];
    return folders.filter(Boolean).flatMap((folder) => apps.map((app) => join(folder, app)));
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A downloaded browser may lack system libraries on a bare Linux; elsewhere `--version` may open a window instead. */
function starts(path) {
  if (process.platform !== 'linux') return true;
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}
