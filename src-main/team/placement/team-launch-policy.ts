/** How a replica starts commands: the environment they inherit, and the files hidden from them. */
import { statSync } from 'node:fs';
import { EnvironmentResolver, isCommonVariable, type LaunchPolicy, tooltrayPaths } from '../../core/edition.ts';
import type { AppPaths, Env } from '../../core/base/app-paths.ts';
import { keysFileVariable } from '../documents/team-keys.ts';

export interface TeamLaunchOptions {
  readonly paths: AppPaths;
  /** The config file, or the folder with its layers. */
  readonly config: string | undefined;
  /** Environment of the replica. */
  readonly env: Env;
  readonly allowsUnconfined: boolean;
  readonly limits: LaunchPolicy['limits'];
}

export function teamLaunchPolicy(options: TeamLaunchOptions): LaunchPolicy {
  const { paths, config = paths.configFile, env, allowsUnconfined, limits } = options;
  const isLayered = statSync(config, { throwIfNoEntry: false })?.isDirectory() === true;
  const { folders, files } = tooltrayPaths(paths, config);
  const keysFile = env[keysFileVariable];
  const common = Object.entries(env).filter(([name]) => isCommonVariable(name, process.platform));
  return {
    allowsUnconfined,
    limits,
    hidden: {
      folders: [...folders, ...(isLayered ? [config] : [])],
      files: [...files.filter((file) => !isLayered || file !== config), ...(keysFile ? [keysFile] : [])],
    },
    // The login shell may set variables that the replica was started with.
    environment: new EnvironmentResolver({
      own: Object.fromEntries(common),
      readLoginShell: () => Promise.resolve({}),
    }),
  };
}
