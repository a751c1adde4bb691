/** What looks after client apps, made of a config file and of something that can try a launch. */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AppPaths, Env } from '../core/base/app-paths.ts';
import type { JsonObject } from '../core/base/json.ts';
import type { KnownServer } from '../core/client-apps/import-offers.ts';
import { isHttp, type Launch } from '../core/client-apps/launch.ts';
import type { OwnProgram } from '../core/client-apps/own-launch.ts';
import type { EntryTrial } from '../core/admin/try-entry.ts';
import type { AppConfig } from '../core/config/app-config.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import { AppSetup, type AppSetupParts } from '../rpc/app-setup.ts';

export interface AppSetupOptions {
  readonly env: Env;
  readonly paths: AppPaths;
  readonly config: () => AppConfig;
  readonly add: AppSetupParts['add'];
  readonly remove: AppSetupParts['remove'];
  readonly tryEntry: (entry: JsonObject) => Promise<EntryTrial>;
  readonly access: AppSetupParts['access'];
  /** The folder that a person is in. */
  readonly cwd?: string | undefined;
}

export function openAppSetup({ env, paths, config, add, remove, tryEntry, access, cwd }: AppSetupOptions): AppSetup {
  const { platform } = process;
  return new AppSetup({
    machine: { env, platform, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir() },
    own: { dataDir: paths.dataDir, platform, command: ownCommand(), home: paths.home },
    here: () => config().servers.flatMap(knownServer),
    add,
    remove,
    access,
    cwd,
    isOnPath: async (command) => {
      // Not from the working folder, where Windows would look first: it is a project, perhaps a stranger's.
      const environment = await new EnvironmentResolver({ own: env }).resolve();
      return (await findCommand(command, environment, homedir())) !== undefined;
    },
    tryLaunch: async (launch) => {
      const trial = await tryEntry(entryOf(launch));
      return trial.ok ? undefined : trial.sentence;
    },
  });
}

function knownServer(server: AppConfig['servers'][number]): KnownServer[] {
  const { name, kind } = server;
  if (kind === 'builtin') return [{ name, entry: {} }];
  return [
    { name, entry: kind === 'stdio' ? { command: server.command, args: [...server.args] } : { url: server.url } },
  ];
}

function entryOf(launch: Launch): JsonObject {
  return isHttp(launch)
    ? { url: launch.url, headers: launch.headers ?? {} }
    : { command: launch.command, args: [...launch.args], env: launch.env ?? {} };
}

function ownCommand(): OwnProgram['command'] {
  return process.versions['electron'] === undefined ? [process.execPath, commandFile()] : undefined;
}

/** This module may lie in dist/, in dist/chunks/, or among the sources. */
function commandFile(): string {
  const folder = import.meta.dirname;
  if (import.meta.filename.endsWith('.ts')) return join(dirname(folder), 'cli.ts');
  return join(folder.endsWith('chunks') ? dirname(folder) : folder, 'cli.js');
}
