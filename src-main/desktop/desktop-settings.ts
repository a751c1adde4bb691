/** The settings that only the desktop app has, as the dashboard reads and changes them. */
import { existsSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type App, type LoginItemSettings, nativeTheme, shell } from 'electron';
import { Emitter } from '../core/base/emitter.ts';
import type { DesktopService, DesktopSettings } from '../rpc/deps.ts';
import type { PreferenceStore } from './preferences.ts';

interface DesktopSettingsDeps {
  readonly preferences: PreferenceStore;
  readonly autostart: Autostart;
  /** This build knows where newer versions are. */
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

// Start at login, as each system has it: without a window, only the tray.

interface Autostart {
  isOn(): boolean;
  set(isOn: boolean): void;
}

export const backgroundFlag = '--background';

/** macOS and Windows keep a list of their own. `words` are what the executable needs to be this app. */
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

/** The user can switch the item off in the system's own settings, and then it is off, whatever was asked for. */
function startsAtLogin(
  { openAtLogin, status, executableWillLaunchAtLogin }: LoginItemSettings,
  platform: NodeJS.Platform,
): boolean {
  if (platform === 'darwin') return status === 'enabled';
  return openAtLogin && executableWillLaunchAtLogin;
}

/** The system started it, not a user: the tray is enough. macOS hands no words over, but knows. */
export function isBackgroundStart(
  app: Pick<App, 'getLoginItemSettings'>,
  words: readonly string[],
  platform: NodeJS.Platform,
): boolean {
  return words.includes(backgroundFlag) || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
}

/**
 * Linux desktops start what is in a folder. `command`: the app's executable or its AppImage, and what it needs to be
 * this app.
 */
export function linuxAutostart(configHome: string, command: readonly string[]): Autostart {
  const file = join(configHome, 'autostart', 'tooltray.desktop');
  const wanted = desktopEntry(command);
  const write = (): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, wanted);
  };
  const found = textOf(file);
  // The app has moved; one that is still there, beside us, keeps its place.
  if (isStarted(found) && !existsSync(programOf(found))) write();
  return {
    isOn: () => isStarted(textOf(file)),
    set: (isOn) => (isOn ? write() : rmSync(file, { force: true })),
  };
}

/** Desktops switch an entry off by a line in it. */
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

/** Quoted as the desktop entry specification wants it: for the shell-like word, then for the file's own escapes. */
function execWord(path: string): string {
  const quoted = path.replaceAll(/["`$\\]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return `"${quoted.replaceAll('\\', '\\\\')}"`;
}

/** The other way round; empty if it is none of Tooltray. */
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
