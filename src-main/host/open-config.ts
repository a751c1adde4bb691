/** Opens the config file; the person's own is written on the first run, one named on the command line must exist. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Env } from '../core/base/app-paths.ts';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { ConfigStore } from '../core/config/config-store.ts';
import { firstConfig } from '../core/config/first-config.ts';
import type { KnownNames } from '../core/config/read-settings.ts';
import { helperTools } from '../core/modes/index.ts';

/** Rejects with AppError config_not_found. */
export async function openConfig(path: string, create: boolean, env: Env): Promise<ConfigStore> {
  if (create && !existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, firstConfig, { mode: 0o600 });
  }
  return ConfigStore.open(path, env, knownNames());
}

/** What a config may name that only the modes know. */
export function knownNames(): KnownNames {
  return { helpers: new Set(helperTools.keys()) };
}
