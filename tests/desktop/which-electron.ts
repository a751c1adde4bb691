/** Selects the Electron for the desktop tests: the real binary if installed, otherwise the stand-in. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { findBrowser } from '../../scripts/browser.mjs';

const electronFolder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
const realBinary = join(electronFolder, 'dist');

export const isReal = existsSync(join(realBinary, 'version'));

export function nameOfElectron(): string {
  if (isReal) return `Electron ${readFileSync(join(realBinary, 'version'), 'utf8').trim()}`;
  return 'the stand-in for Electron (Node.js and Chromium): no real tray, menus, asar or fuses';
}

/** Environment for starting Electron; also read by the `electron` package. */
export function electronEnv(): Record<string, string> {
  if (isReal) return {};
  return {
    ELECTRON_OVERRIDE_DIST_PATH: join(import.meta.dirname, '../stand-in/bin'),
    STAND_IN_NODE: process.execPath,
    // Searched once instead of at each start.
    CHROME_PATH: findBrowser(),
  };
}
