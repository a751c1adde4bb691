/** Start at login, as each system has it: without a window, only the tray. */
import { mkdirSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from 'electron';

export interface Autostart {
  isOn(): boolean;
  set(isOn: boolean): void;
}

export const backgroundFlag = '--background';

/** macOS and Windows keep a list of their own. */
export function systemAutostart(app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>): Autostart {
  const args = [backgroundFlag];
  return {
    isOn: () => app.getLoginItemSettings({ args }).openAtLogin,
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, args }),
  };
}

/** Linux desktops start what lies in a folder. `program` is the app's executable or its AppImage. */
export function linuxAutostart(configHome: string, program: string): Autostart {
  const file = join(configHome, 'autostart', 'tooltray.desktop');
  return {
    isOn: () => existsSync(file),
    set(isOn) {
      if (!isOn) return rmSync(file, { force: true });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, desktopEntry(program));
    },
  };
}

function desktopEntry(program: string): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Tooltray',
    'Comment=All of your MCP servers behind one connection',
    'Icon=tooltray',
    `Exec=${execWord(program)} ${backgroundFlag}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Quoted as the desktop entry specification wants it: for the shell-like word, then for the file's own escapes. */
function execWord(path: string): string {
  const quoted = path.replaceAll(/["`$\\]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return `"${quoted.replaceAll('\\', '\\\\')}"`;
}
