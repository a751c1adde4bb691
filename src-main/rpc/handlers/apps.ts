/** What the setup asks about client apps: passed on to whoever looks after them. */
import type { HandlersOf } from './handler.ts';

type Method =
  'previewInstall' | 'installApp' | 'uninstallApp' | 'undoInstall' | 'offeredServers' | 'importServers' | 'rescan';

export const appHandlers: HandlersOf<Method> = {
  previewInstall: (input, { apps }) => apps.previewInstall(input),
  installApp: (input, { apps }) => apps.installApp(input),
  uninstallApp: (input, { apps }) => apps.uninstallApp(input),
  undoInstall: (input, { apps }) => apps.undoInstall(input),
  offeredServers: (input, { apps }) => apps.offeredServers(input),
  importServers: (input, { apps }) => apps.importServers(input),
  rescan: (input, { apps }) => apps.rescan(input),
};
