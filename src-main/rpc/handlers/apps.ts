/** Setup requests about client apps, forwarded to the app setup. */
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
  manualEntry: (input, { apps }) => apps.manualEntry(input),
  importableServers: (input, { apps }) => apps.importableServers(input),
  testImportableServers: async ({ ids }, { offerTests }) => {
    await offerTests?.start(ids);
    return {};
  },
  planSetup: (input, { apps }) => apps.planSetup(input),
  applySetup: async (input, { apps, offerTests }) => {
    await offerTests?.settle();
    return apps.applySetup(input);
  },
  importServers: (input, { apps }) => apps.importServers(input),
  rescan: (input, { apps }) => apps.rescan(input),
  setAccess: (input, { apps }) => apps.setAccess(input),
} satisfies Handlers;
