/** Finds the client apps on this machine. Only checks whether files exist, and reads none. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { fileExists, type Machine, resolvePaths, userFiles } from './app-files.ts';
import type { AppConfigFile } from './update-app-file.ts';
import type { KnownApp } from './known-app.ts';
import { knownApps } from './known-apps.ts';
import { supportsProjects, resolveProjectFile } from './project-file.ts';

export interface FoundApp extends AppConfigFile {
  readonly installed: boolean;
  readonly running: boolean;
}

/** Every app that exists on this system, installed or not, in the order of known-apps.ts. */
export async function findApps(machine: Machine, running: ReadonlySet<string>): Promise<FoundApp[]> {
  const found = await Promise.all(
    knownApps.map(async (app): Promise<FoundApp | undefined> => {
      const [file, ...also] = await userFiles(machine, app);
      return file === undefined ? undefined : inspectApp({ app, file, also }, machine, running);
    }),
  );
  return found.filter((app) => app !== undefined);
}

/** The apps that may have a file in the project, existing or not; a file shared by several apps is listed once. */
export async function findProjectApps(
  machine: Machine,
  running: ReadonlySet<string>,
  project: string,
): Promise<FoundApp[]> {
  const found = await Promise.all(
    knownApps.filter(supportsProjects).map((app) => findInProject(app, machine, running, project)),
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
  // A file outside the project, reached through a link, does not count.
  const place = await resolveProjectFile(machine, app, project).catch(() => undefined);
  return place === undefined ? [] : [await inspectApp(place, machine, running)];
}

/** Adds the install and process status of an app whose file is known. */
export async function inspectApp(
  place: AppConfigFile,
  machine: Machine,
  running: ReadonlySet<string>,
): Promise<FoundApp> {
  const { app, file } = place;
  const isRunning = app.processes.some((name) => running.has(name));
  return { ...place, running: isRunning, installed: await isInstalled(machine, app, file) };
}

async function isInstalled(machine: Machine, app: KnownApp, file: string): Promise<boolean> {
  for (const path of [file, ...resolvePaths(machine, app.files), ...resolvePaths(machine, app.traces)])
    if (await fileExists(path)) return true;
  return false;
}

// Lists the names of running programs as far as the system reports them: enough to say that an app is open.

const processListTimeoutMs = 5000;

/** In lower case, without `.exe`. Empty if the system does not report them, because a running app is only a hint. */
export async function runningProcesses(platform: NodeJS.Platform = process.platform): Promise<ReadonlySet<string>> {
  try {
    if (platform === 'linux') return await fromProc();
    if (platform === 'win32') return namesIn(await output('tasklist', ['/fo', 'csv', '/nh']), /^"([^"]+)"/);
    return namesIn(await output('ps', ['-axo', 'comm=']), /^(.+)$/);
  } catch {
    return new Set();
  }
}

/** Includes scripts that an interpreter runs, because many command-line apps are scripts. */
async function fromProc(): Promise<ReadonlySet<string>> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return new Set(lines.flatMap((line) => line.split('\0').slice(0, 2).map(programName)).filter((name) => name !== ''));
}

function namesIn(text: string, line: RegExp): ReadonlySet<string> {
  const names = text.split(/\r?\n/).map((one) => programName(line.exec(one.trim())?.[1] ?? ''));
  return new Set(names.filter((name) => name !== ''));
}

function programName(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|m?js)$/, '');
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    timeout: processListTimeoutMs,
    maxBuffer: 16 * 1024 * 1024,
    windowsHide: true,
  });
  return stdout;
}
