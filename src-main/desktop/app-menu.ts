/**
 * The application menu: editing shortcuts on macOS, and on every system a way to quit if the tray is not shown. Pure.
 */
import type { MenuItemConstructorOptions } from 'electron';
import type { UserSystem } from '../host/system-traces.ts';

interface MenuActions {
  readonly openSettings: () => void;
  readonly installCommand: () => void;
  readonly disconnect: () => void;
  readonly quitUntilStarted: () => void;
}

export function appMenu(
  { platform, env }: Pick<UserSystem, 'platform' | 'env'>,
  { openSettings, installCommand, disconnect, quitUntilStarted }: MenuActions,
): MenuItemConstructorOptions[] {
  // Linux packages include the command; an AppImage cannot.
  const hasNoCommand = platform !== 'linux' || env['APPIMAGE'] !== undefined;
  const command: MenuItemConstructorOptions = {
    id: 'install-command',
    label: 'Install Command "tooltray"',
    click: installCommand,
  };
  const end: MenuItemConstructorOptions[] = [
    { label: 'Settings…', accelerator: 'CmdOrCtrl+,', click: openSettings },
    ...(hasNoCommand ? [command] : []),
    { type: 'separator' },
    { label: 'Close Window', role: 'close' },
    { id: 'disconnect', label: 'Disconnect Everything and Quit…', click: disconnect },
    { id: 'quit-until-started', label: 'Quit Until I Start It', click: quitUntilStarted },
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
