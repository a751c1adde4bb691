/** Stands where client apps are not looked for: a core inside a shim, tests. */
import { AppError } from '../core/base/errors.ts';
import type { AppsService } from './apps-service.ts';

const refuse = (): Promise<never> =>
  Promise.reject(new AppError('unsupported', 'This core does not look after client apps.'));

export const noApps: AppsService = {
  previewInstall: refuse,
  installApp: refuse,
  uninstallApp: refuse,
  undoInstall: refuse,
  otherEntry: refuse,
  offeredServers: refuse,
  offeredEntry: refuse,
  importServers: refuse,
  rescan: refuse,
  setAccess: refuse,
  apps: () => Promise.resolve([]),
  access: () => Promise.resolve([]),
  onChange: () => () => undefined,
};
