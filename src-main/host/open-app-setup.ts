/** Creates the app setup from a config file and a launch tester. */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { OfferTests } from '../core/admin/offer-tests.ts';
import { type EntryProbe, probeEntry } from '../core/admin/probe-entry.ts';
import type { CoreGroups } from '../core/core-groups.ts';
import type { AppPaths, Env } from '../core/base/app-paths.ts';
import { errorText } from '../core/base/errors.ts';
import type { JsonObject } from '../core/base/json.ts';
import type { Log } from '../core/base/log.ts';
import type { ExistingServer } from '../core/client-apps/import-offers.ts';
import { isHttp, type AppLaunch } from '../core/client-apps/known-app.ts';
import type { TooltrayProgram } from '../core/client-apps/tooltray-launch.ts';
import { AppSetup, type AppSetupDeps } from '../core/client-apps/app-setup.ts';
import type { ServerConfig } from '../core/config/server-config.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { writtenServers } from '../core/config/written-servers.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';

export interface AppSetupOptions {
  readonly env: Env;
  readonly paths: AppPaths;
  readonly config: Pick<ConfigStore, 'current' | 'path' | 'text'>;
  readonly add: AppSetupDeps['add'];
  readonly remove: AppSetupDeps['remove'];
  readonly secrets: AppSetupDeps['secrets'];
  readonly tryEntry: (entry: JsonObject) => Promise<EntryProbe>;
  readonly access: AppSetupDeps['access'];
  /** The user's current directory. */
  readonly cwd?: string | undefined;
}

export function openAppSetup(options: AppSetupOptions): AppSetup {
  const { env, paths, config, add, remove, secrets, tryEntry, access, cwd } = options;
  const { platform } = process;
  return new AppSetup({
    machine: { env, platform, home: env['HOME'] ?? env['USERPROFILE'] ?? homedir() },
    own: { dataDir: paths.dataDir, platform, command: ownCommand(), home: paths.home },
    here: () => knownServers(config, env),
    enabledServers: () => config.current.servers.filter(({ enabled }) => enabled).map(({ name }) => name),
    add,
    remove,
    secrets,
    access,
    cwd,
    isOnPath: async (command) => {
      // Not resolved from the working directory, which Windows searches first: it may be an untrusted project.
      const environment = await new EnvironmentResolver({ own: env }).resolve();
      return (await findCommand(command, environment, homedir())) !== undefined;
    },
    tryLaunch: async (launch) => {
      const trial = await tryEntry(entryOf(launch));
      return trial.ok ? undefined : trial.sentence;
    },
  });
}

/** Servers as written and as started, because an app's entry may equal either. */
async function knownServers(config: AppSetupOptions['config'], env: Env): Promise<readonly ExistingServer[]> {
  const written = Object.entries(writtenServers(await config.text().catch(() => ''), config.path, env));
  return [...written.map(([name, { entry }]) => ({ name, entry })), ...config.current.servers.flatMap(startedServer)];
}

function startedServer(server: ServerConfig): ExistingServer[] {
  const { name, kind } = server;
  if (kind === 'builtin') return [];
  return [
    { name, entry: kind === 'stdio' ? { command: server.command, args: [...server.args] } : { url: server.url } },
  ];
}

function entryOf(launch: AppLaunch): JsonObject {
  return isHttp(launch)
    ? { url: launch.url, headers: launch.headers ?? {} }
    : { command: launch.command, args: [...launch.args], env: launch.env ?? {} };
}

function ownCommand(): TooltrayProgram['command'] {
  // Set by the command itself (resources/linux/tooltray).
  const packaged = process.env['TOOLTRAY_COMMAND'];
  if (packaged !== undefined) return [packaged];
  return process.versions['electron'] === undefined ? [process.execPath, commandFile()] : undefined;
}

/** This module may be in dist/, in dist/chunks/, or among the sources. */
function commandFile(): string {
  const folder = import.meta.dirname;
  if (import.meta.filename.endsWith('.ts')) return join(dirname(folder), 'cli.ts');
  return join(folder.endsWith('chunks') ? dirname(folder) : folder, 'cli.js');
}

// This computer's client apps, watched by a running core: entries that no longer start Tooltray are fixed immediately.

type WatchDeps = Pick<CoreGroups, 'context' | 'servers' | 'trust'>;

/** Returns before anything is fixed, because nothing depends on it and a failure is harmless. */
export function watchClientApps({ context, servers, trust }: WatchDeps, access: AppSetupDeps['access']): AppSetup {
  const { config, paths, env, version, log } = context;
  const { edits, removals, transports } = servers;
  const apps = openAppSetup({
    env,
    paths,
    config,
    add: (added) => edits.addAll(added),
    remove: async (removed) => (await removals.runThenSignOut(() => edits.removeExisting(removed))).result,
    secrets: trust.secrets,
    access,
    tryEntry: (entry) => probeEntry(entry, { config, transports, version }),
  });
  void repairEntries(apps, log);
  return apps;
}

/** Tests importable servers over this core's transports. */
export function openOfferTests({ context, servers }: Omit<WatchDeps, 'trust'>, apps: AppSetup): OfferTests {
  const { config, version } = context;
  const { transports } = servers;
  return new OfferTests({
    entryOf: (id) => apps.offeredEntry(id),
    probe: (entry, slot, onStage) =>
      probeEntry(entry, { config, transports, version, onStage, trialName: `trial-${slot}` }),
  });
}

async function repairEntries(apps: AppSetup, log: Log): Promise<void> {
  try {
    const mended = await apps.repair(({ app }, error) =>
      log.warn(`The entry in ${app.name} could not be repaired: ${errorText(error)}`),
    );
    for (const name of mended) log.info(`The entry in ${name} was repaired.`);
  } catch (error) {
    log.warn(errorText(error));
  }
}
