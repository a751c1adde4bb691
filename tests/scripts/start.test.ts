/** `npm start` chooses between the desktop app and the browser, and says why. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNoDesktop } from '../../scripts/start/desktop-place.mjs';
import { binaryOf, downloadSource, findElectron } from '../../scripts/start/find-electron.mjs';

test('starts no desktop app on Linux without a display, or as root', () => {
  const linux = { platform: 'linux', isRoot: false };
  expect(whyNoDesktop({ ...linux, env: {} })).toBe('there is no display');
  expect(whyNoDesktop({ ...linux, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeUndefined();
  expect(whyNoDesktop({ platform: 'linux', isRoot: true, env: { DISPLAY: ':0' } })).toBe(
    'Electron does not run as root',
  );
  expect(whyNoDesktop({ platform: 'darwin', isRoot: false, env: {} })).toBeUndefined();
});

test('tries an Electron from ELECTRON_OVERRIDE_DIST_PATH in any case', () => {
  expect(whyNoDesktop({ platform: 'linux', isRoot: true, env: { ELECTRON_OVERRIDE_DIST_PATH: '/x' } })).toBeUndefined();
});

test('finds a binary only if it exists, not if it is only named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-electron-'));
  try {
    expect(binaryOf(folder, {})).toBeUndefined();
    writeFileSync(join(folder, 'path.txt'), 'electron');
    expect(binaryOf(folder, {})).toBeUndefined();
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/electron'), '');
    expect(binaryOf(folder, {})).toBe(join(folder, 'dist/electron'));
    expect(binaryOf(folder, { ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'none') })).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("downloads from the user's mirror, and reports a missing package", async () => {
  expect(downloadSource({})).toMatch(/^https:\/\/github\.com\//);
  expect(downloadSource({ npm_config_electron_mirror: 'https://mirror.test/' })).toBe('https://mirror.test/');
  expect(await findElectron('/nowhere')).toEqual({ why: 'the package "electron" is not installed' });
});
