/** The config file that a command works on, and how to read it. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type AppPaths, appPaths } from '../core/base/app-paths.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { openConfig } from '../host/open-config.ts';
import { runningCoreFor } from './core-access.ts';
import { requireReadable } from './require-readable.ts';

export function cliPaths(): AppPaths {
  return appPaths(process.env, process.platform, homedir());
}

/**
 * The file named by `--config`, which must exist; else the one that a running core uses; else the person's own, written when there is none.
 * Rejects with AppError config_not_found, or config_invalid when it cannot be read as a whole.
 */
export async function openCliConfig(given: string | undefined): Promise<ConfigStore> {
  const store = await openAnyConfig(given);
  requireReadable(store);
  return store;
}

/** The same for commands that report what is wrong with the file. */
export async function openAnyConfig(given: string | undefined): Promise<ConfigStore> {
  if (given !== undefined) return openConfig(resolve(given), true, process.env, cliPaths());
  const core = await runningCoreFor(undefined);
  if (core === undefined) return openConfig(cliPaths().configFile, false, process.env, cliPaths());
  const { home } = await core.ask('state', {});
  await core.close();
  return openConfig(home, false, process.env, cliPaths());
}
