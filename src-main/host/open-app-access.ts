/** Where it is written what each client app may. */
import { join } from 'node:path';
import type { AppPaths } from '../core/base/app-paths.ts';
import { AppAccessStore } from '../core/security/app-access.ts';

export function openAppAccess({ dataDir }: AppPaths): AppAccessStore {
  return new AppAccessStore(join(dataDir, 'app-access.json'));
}
