/** The application's menu: editing by keyboard on macOS, and on every system a way to quit where the tray is not shown. */
import type { MenuItemConstructorOptions } from 'electron';

export function appMenu(platform: NodeJS.Platform, openSettings: () => void): MenuItemConstructorOptions[] {
  const settings: MenuItemConstructorOptions = { label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: openSettings };
  const end: MenuItemConstructorOptions[] = [
    settings,
    { type: 'separator' },
    { label: 'Close Window', role: 'close' },
    { label: 'Quit Tooltray', role: 'quit' },
  ];
  return [
    platform === 'darwin'
      ? { label: 'Tooltray', submenu: [{ role: 'about' }, { type: 'separator' }, ...end] }
      : { label: 'Tooltray', submenu: end },
    { role: 'editMenu' },
    { label: 'View', submenu: [{ role: 'reload' }, { role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }] },
    { role: 'windowMenu' },
  ];
}
