/** Settings that exist only in the desktop app, as read and changed by the dashboard. */
import { existsSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type App, type LoginItemSettings, nativeTheme, shell } from 'electron';
import { Emitter } from '../core/base/emitter.ts';
import type { DesktopService, DesktopSettings } from '../rpc/deps.ts';
import type { PreferenceStore } from './preferences.ts';

interface DesktopSettingsDeps {
  readonly preferences: PreferenceStore;
  readonly autostart: Autostart;
  /** This build has an update URL. */
  readonly canUpdate: boolean;
  readonly leaveSystem: () => void;
}

export function desktopSettings({
  preferences,
  autostart,
  canUpdate,
  leaveSystem,
}: DesktopSettingsDeps): DesktopService {
  const changed = new Emitter();
  return {
    settings: () => ({
      theme: preferences.get('theme'),
      startAtLogin: autostart.isOn(),
      notifications: preferences.get('notifications'),
      updates: canUpdate ? preferences.get('updates') : undefined,
    }),
    async change({ theme, startAtLogin, notifications, updates }: Partial<DesktopSettings>) {
      if (theme !== undefined) {
        preferences.set('theme', theme);
        nativeTheme.themeSource = theme;
      }
      if (startAtLogin !== undefined) autostart.set(startAtLogin);
      if (notifications !== undefined) preferences.set('notifications', notifications);
      if (updates !== undefined) preferences.set('updates', updates);
      changed.emit();
    },
    leaveSystem,
    onChange: (listener) => changed.on(listener),
    reveal: (path) => shell.showItemInFolder(path),
  };
}

// Start at login on each system: without a window, only the tray.

interface Autostart {
  isOn(): boolean;
  set(isOn: boolean): void;
}

export const backgroundFlag = '--background';

/** macOS and Windows have their own list. `words`: arguments that start the executable as this app. */
export function systemAutostart(
  app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>,
  words: readonly string[] = [],
  platform: NodeJS.Platform = process.platform,
): Autostart {
  const args = [...words.map((word) => `"${word}"`), backgroundFlag];
  return {
    isOn: () => startsAtLogin(app.getLoginItemSettings({ args }), platform),
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, args }),
  };
}

/** If the user disabled the item in the system's settings, it is off regardless of ours. */
function startsAtLogin(
  { openAtLogin, status, executableWillLaunchAtLogin }: LoginItemSettings,
  platform: NodeJS.Platform,
): boolean {
  if (platform === 'darwin') return status === 'enabled';
  return openAtLogin && executableWillLaunchAtLogin;
}

/** Whether the system started the app, in which case no window opens. macOS passes no arguments, but reports it. */
export function isBackgroundStart(
  app: Pick<App, 'getLoginItemSettings'>,
  words: readonly string[],
  platform: NodeJS.Platform,
): boolean {
  return words.includes(backgroundFlag) || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
}

/** Linux desktops start the entries of a folder. `command`: the app's executable or AppImage, and its arguments. */
export function linuxAutostart(configHome: string, command: readonly string[]): Autostart {
  const file = join(configHome, 'autostart', 'tooltray.desktop');
  const wanted = desktopEntry(command);
  const write = (): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
  };
  const found = textOf(file);
  // The app has moved; an entry of another copy that still exists is kept.
  if (isStarted(found) && !existsSync(programOf(found))) write();
  return {
    isOn: () => isStarted(textOf(file)),
    set: (isOn) => (isOn ? write() : rmSync(file, { force: true })),
  };
}

/** Desktops disable an entry by a line in it. */
function isStarted(text: string | undefined): text is string {
  return text !== undefined && !/^(Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/m.test(text);
}

function desktopEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Tooltray',
    'Comment=All of your MCP servers behind one connection',
    'Icon=tooltray',
    `Exec=${[...command.map(execWord), backgroundFlag].join(' ')}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Quoted according to the desktop entry specification: as a shell-like word, then with the file's own escapes. */
function execWord(path: string): string {
  const quoted = path.replaceAll(/["`$\\]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return `"${quoted.replaceAll('\\', '\\\\')}"`;
}

/** The inverse; empty if the entry is not Tooltray's. */
function programOf(entry: string): string {
  const [, word = ''] = /^Exec="((?:[^"\\]|\\.)*)"/m.exec(entry.replaceAll('\\\\', '\\')) ?? [];
  return word.replaceAll(/\\(["`$\\])/g, '$1').replaceAll('%%', '%');
}

export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
