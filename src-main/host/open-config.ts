/** Opens the config file; the user's own is created by the first core, one named on the command line must exist. */
import { join } from 'node:path';
import type { AppPaths, Env } from '../core/base/app-paths.ts';
import { AppError } from '../core/base/errors.ts';
import { ConfigApproval } from '../core/config/config-approval.ts';
import { ConfigStore } from '../core/config/config-store.ts';
import { LayerFiles } from '../core/config/layers/layer-files.ts';
import type { KnownNames } from '../core/config/read-settings.ts';
import { allModes } from '../compat/all-modes.ts';
import { isFolder } from '../core/servers/launch/tool-folders.ts';
import { acceptanceKey } from '../core/secrets/acceptance-key.ts';
import type { SecretStore } from '../core/secrets/secret-store.ts';
import { openVault } from '../core/secrets/vault.ts';
import { appAccessFile, AppAccessStore } from '../core/security/app-access.ts';

/**
 * `named`: the user chose this file, so external edits need no approval; it may be a folder of layers. Writes nothing:
 * if the user's own is missing, the initial config or the approved state is used. `vault`: passed by a core,
 * which signs approvals with its key and reloads the file when the vault is unlocked; a command only reads. Rejects
 * with AppError `config_not_found` for a named one.
 */
export async function openConfig(
  path: string,
  named: boolean,
  env: Env,
  paths: AppPaths,
  vault?: SecretStore,
): Promise<ConfigStore> {
  if (named && (await isFolder(path))) {
    const layers = new LayerFiles(path);
    return ConfigStore.open(layers.organisation, env, knownNames(), undefined, layers);
  }
  const isOwn = path === paths.configFile;
  const record = join(paths.dataDir, 'accepted-config.json');
  const key = acceptanceKey(vault ?? openVault(paths.dataDir, env));
  const accepted = isOwn ? new ConfigApproval(record, named, key) : undefined;
  const records = named || vault !== undefined;
  const store = await ConfigStore.open(path, env, knownNames(), accepted, undefined, { mayBeMissing: !named, records });
  if (accepted !== undefined) vault?.onOpened.on(() => void store.reload());
  return store;
}

/**
 * Writes the initial config. A file that was removed although servers had been approved is not replaced: the user is
 * asked.
 */
export async function createFirstConfig(store: ConfigStore): Promise<void> {
  if (store.isMissing && store.problems.length === 0) await store.restore();
}

/** Names that a config may use but only the modes define. */
export function knownNames(): KnownNames {
  return { helpers: new Set(allModes.helpers.keys()) };
}

/** Opens the store of client apps' access. */
export function openAppAccess({ dataDir }: AppPaths): AppAccessStore {
  return new AppAccessStore(appAccessFile(join(dataDir, 'app-access.json')));
}

/** Throws AppError `config_invalid` with file, line and column. */
export function requireReadable(store: ConfigStore): void {
  const problem = wholeFileProblem(store);
  if (problem === undefined) return;
  const { file, line, column, reason, suggestion } = problem;
  throw new AppError('config_invalid', `${file}:${line}:${column} cannot be read: ${reason}`, {
    ...(suggestion !== undefined && { fix: suggestion }),
    data: { file, line, column },
  });
}

/** A problem of the whole text; those of entries and settings have a path. */
export function wholeFileProblem({ path: own, problems }: ConfigStore) {
  return problems.find(({ file, path, severity }) => file === own && path === '' && severity === 'error');
}
