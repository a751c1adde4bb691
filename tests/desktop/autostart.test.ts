/** Start at login, on each of the three systems. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoginItemSettings, LoginItemSettingsOptions, Settings } from 'electron';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isBackgroundStart, linuxAutostart, systemAutostart } from '../../src-main/desktop/desktop-settings.ts';

describe('on Linux', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooltray-login-'));
    file = join(folder, 'autostart/tooltray.desktop');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const program = ['/opt/a "b" $c%/tooltray'];

  test('creates and deletes a file that quotes the program as desktops read it', () => {
    const autostart = linuxAutostart(folder, program);
    expect(autostart.isOn()).toBe(false);
    autostart.set(true);
    expect(autostart.isOn()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(String.raw`Exec="/opt/a \\"b\\" \\$c%%/tooltray" --background`);
    autostart.set(false);
    expect(autostart.isOn()).toBe(false);
  });

  test('updates the path of an app that has moved, and keeps one that still exists', () => {
    const old = join(folder, String.raw`old "100%" \$.AppImage`);
    writeFileSync(old, '');
    linuxAutostart(folder, [old]).set(true);
    const before = readFileSync(file, 'utf8');
    linuxAutostart(folder, ['/new/electron', '/checkout']);
    expect(readFileSync(file, 'utf8')).toBe(before);
    rmSync(old);
    linuxAutostart(folder, ['/new/electron', '/checkout']);
    expect(readFileSync(file, 'utf8')).toContain('Exec="/new/electron" "/checkout" --background\n');
  });

  test.each(['Hidden=true', 'X-GNOME-Autostart-enabled=false'])('stays off where the desktop wrote %s', (line) => {
    linuxAutostart(folder, program).set(true);
    writeFileSync(file, `[Desktop Entry]\nExec=/old\n${line}\n`);
    expect(linuxAutostart(folder, program).isOn()).toBe(false);
    expect(readFileSync(file, 'utf8')).toContain('Exec=/old\n');
  });
});

describe('on macOS and Windows', () => {
  /** Like both systems: items are identified by their arguments. */
  function system(wasOpenedAtLogin = false) {
    const items = new Set<string>();
    return {
      items,
      setLoginItemSettings: ({ openAtLogin = false, args = [] }: Settings) =>
        void (openAtLogin ? items.add(args.join(' ')) : items.delete(args.join(' '))),
      getLoginItemSettings: ({ args = [] }: LoginItemSettingsOptions = {}) =>
        ({
          openAtLogin: items.has(args.join(' ')),
          wasOpenedAtLogin,
          executableWillLaunchAtLogin: true,
          status: items.size > 0 ? 'enabled' : 'not-registered',
        }) as LoginItemSettings,
    };
  }

  test('adds and removes a login item that starts without a window', () => {
    const app = system();
    const autostart = systemAutostart(app, ['C:\\my app'], 'win32');
    autostart.set(true);
    expect([autostart.isOn(), [...app.items]]).toEqual([true, ['"C:\\my app" --background']]);
    autostart.set(false);
    expect(autostart.isOn()).toBe(false);
  });

  test.each([
    ['win32', { openAtLogin: true, executableWillLaunchAtLogin: true }, true],
    // Disabled in the Task Manager.
    ['win32', { openAtLogin: true, executableWillLaunchAtLogin: false }, false],
    // Another item of the same program.
    ['win32', { openAtLogin: false, executableWillLaunchAtLogin: true }, false],
    ['darwin', { openAtLogin: true, status: 'enabled' }, true],
    // Disabled under Login Items.
    ['darwin', { openAtLogin: true, status: 'requires-approval' }, false],
  ] as const)('reports the system’s state: on %s with %j it is %s', (platform, settings, isOn) => {
    const app = { ...system(), getLoginItemSettings: () => settings as unknown as LoginItemSettings };
    expect(systemAutostart(app, [], platform).isOn()).toBe(isOn);
  });

  test('treats a start at login as a background start, also on macOS, which passes no arguments', () => {
    expect(isBackgroundStart(system(), ['--background'], 'win32')).toBe(true);
    expect(isBackgroundStart(system(true), [], 'darwin')).toBe(true);
    expect(isBackgroundStart(system(), [], 'darwin')).toBe(false);
  });
});
