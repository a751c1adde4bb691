/** The `electron` module of the main process, as far as the app uses it. */
import { app } from './app.ts';
import { StandInWindow as BrowserWindow, webContents } from './browser-window.ts';
import { ipcMain } from './ipc-main.ts';
import { StandInMenu as Menu, StandInMenuItem as MenuItem } from './menu.ts';
import { nativeImage } from './native-image.ts';
import { protocol, session } from './protocol.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import {
  crashReporter,
  dialog,
  nativeTheme,
  powerMonitor,
  screen,
  shell,
  StandInNotification as Notification,
} from './system.ts';
import { StandInTray as Tray } from './tray.ts';

const electron = {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  webContents,
};
refuseUnwritten(electron, 'electron');

export {
  app,
  BrowserWindow,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  webContents,
};
export default electron;
// The result of `require('electron')`: the object itself.
export { electron as 'module.exports' };
