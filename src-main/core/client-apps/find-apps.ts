/** Which client apps are on this machine. Only looks whether files are there; reads none. */
import { exists, type Machine, pathsOn, userFile } from './app-files.ts';
import type { AppPlace } from './change-app-file.ts';
import type { KnownApp } from './known-app.ts';
import { knownApps } from './known-apps.ts';
import { hasProjects, projectPlace } from './project-place.ts';

export interface FoundApp extends AppPlace {
  readonly installed: boolean;
  readonly running: boolean;
}

/** Every app that exists on this system, here or not, in the order of known-apps.ts. */
export async function findApps(machine: Machine, running: ReadonlySet<string>): Promise<FoundApp[]> {
  const found = await Promise.all(
    knownApps.map(async (app): Promise<FoundApp | undefined> => {
      const file = await userFile(machine, app);
      return file === undefined ? undefined : foundAt({ app, file }, machine, running);
    }),
  );
  return found.filter((app) => app !== undefined);
}

/** The apps that may have a file in the project, there or not; a file that several of them read is one. */
export async function findProjectApps(
  machine: Machine,
  running: ReadonlySet<string>,
  project: string,
): Promise<FoundApp[]> {
  const found = await Promise.all(
    knownApps.filter(hasProjects).map((app) => findInProject(app, machine, running, project)),
  );
  const byFile = Map.groupBy(found.flat(), ({ file }) => file);
  return [...byFile.values()].flatMap((apps) => apps.find(({ installed }) => installed) ?? apps.slice(0, 1));
}

async function findInProject(
  app: KnownApp,
  machine: Machine,
  running: ReadonlySet<string>,
  project: string,
): Promise<FoundApp[]> {
  // One that leads elsewhere is no file of the project.
  const place = await projectPlace(machine, app, project).catch(() => undefined);
  return place === undefined ? [] : [await foundAt(place, machine, running)];
}

/** What else is to be known of an app whose file is known. */
export async function foundAt(place: AppPlace, machine: Machine, running: ReadonlySet<string>): Promise<FoundApp> {
  const { app, file } = place;
  const isRunning = app.processes.some((name) => running.has(name));
  return { ...place, running: isRunning, installed: await isInstalled(machine, app, file) };
}

async function isInstalled(machine: Machine, app: KnownApp, file: string): Promise<boolean> {
  for (const path of [file, ...pathsOn(machine, app.files), ...pathsOn(machine, app.traces)])
    if (await exists(path)) return true;
  return false;
}
