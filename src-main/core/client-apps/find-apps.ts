/** Which client apps are on this machine. Only looks whether files are there; reads none. */
import { exists, type Machine, pathsOn, projectFile, userFile } from './app-files.ts';
import type { AppPlace } from './change-app-file.ts';
import type { KnownApp } from './known-app.ts';
import { knownApps } from './known-apps.ts';

export interface FoundApp extends AppPlace {
  readonly installed: boolean;
  readonly running: boolean;
}

/** Every app that exists on this system, here or not, in the order of known-apps.ts. */
export async function findApps(machine: Machine, running: ReadonlySet<string>): Promise<FoundApp[]> {
  const found = await Promise.all(
    knownApps.map(async (app): Promise<FoundApp | undefined> => {
      const file = await userFile(machine, app);
      if (file === undefined) return undefined;
      const isRunning = app.processes.some((name) => running.has(name));
      return { app, file, running: isRunning, installed: await isInstalled(machine, app, file) };
    }),
  );
  return found.filter((app) => app !== undefined);
}

/** The config files of apps that a project has. */
export async function findProjectApps(machine: Machine, folder: string): Promise<AppPlace[]> {
  const found = await Promise.all(
    knownApps.map(async (app) => {
      const file = await projectFile(machine, app, folder);
      return file !== undefined && (await exists(file)) ? [{ app, file }] : [];
    }),
  );
  return found.flat();
}

async function isInstalled(machine: Machine, app: KnownApp, file: string): Promise<boolean> {
  for (const path of [file, ...pathsOn(machine, app.traces)]) if (await exists(path)) return true;
  return false;
}
