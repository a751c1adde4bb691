/** Setup requests about client apps, passed on to the app setup. */
import { probeEntry } from '../../core/admin/probe-entry.ts';
import type { Handlers } from '../deps.ts';

export const appHandlers = {
  previewInstall: (input, { apps }) => apps.previewInstall(input),
  installApp: (input, { apps }) => apps.installApp(input),
  previewUninstall: (input, { apps }) => apps.previewUninstall(input),
  uninstallApp: (input, { apps }) => apps.uninstallApp(input),
  undoInstall: (input, { apps }) => apps.undoInstall(input),
  disconnectAll: async (_, { apps, desktop }) => {
    const restored = await apps.disconnectAll();
    desktop?.leaveSystem();
    return restored;
  },
  otherEntry: (input, { apps }) => apps.otherEntry(input),
  offeredServers: (input, { apps }) => apps.offeredServers(input),
  tryOffer: async ({ id }, { apps, core }) => {
    const { config, version } = core.options;
    return probeEntry(await apps.offeredEntry(id), { config, transports: core.transports, version });
  },
  importServers: (input, { apps }) => apps.importServers(input),
  rescan: (input, { apps }) => apps.rescan(input),
  setAccess: (input, { apps }) => apps.setAccess(input),
} satisfies Handlers;
