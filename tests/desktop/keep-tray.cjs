/** Required by Electron before the app: keeps the menu that the tray was given last where tests can reach it. Trays have no other way in. */
const { Tray } = module.require('electron');

const { setContextMenu } = Tray.prototype;
Tray.prototype.setContextMenu = function keepMenu(menu) {
  globalThis.trayMenu = menu;
  return setContextMenu.call(this, menu);
};
