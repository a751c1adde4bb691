/** Finds a client app's files on this machine. */
import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import { AppError } from '../base/errors.ts';
import type { ConfigFormat } from './formats/config-format.ts';
import { jsoncFormat } from './formats/jsonc.ts';
import { tomlFormat } from './formats/toml.ts';
import { yamlFormat } from './formats/yaml.ts';
import type { KnownApp, PathsBySystem, System } from './known-app.ts';
import { knownApps } from './known-apps.ts';

/** The process's environment; injected, so that tests can simulate any machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The functions used from path.posix or path.win32; unbound. */
interface Paths {
  readonly join: (this: void, ...parts: string[]) => string;
  readonly isAbsolute: (this: void, path: string) => boolean;
}

/** Base folders of the paths in known-apps.ts, with defaults for unset environment variables. */
const fallbacks: Readonly<Record<string, string>> = {
  APPDATA: 'AppData/Roaming',
  LOCALAPPDATA: 'AppData/Local',
  XDG_CONFIG_HOME: '.config',
  CODEX_HOME: '.codex',
  COPILOT_HOME: '.copilot',
  CLAUDE_CONFIG_DIR: '',
};

/** Throws AppError `not_found` for an unknown id. */
export function knownApp(id: string): KnownApp {
  const app = knownApps.find((one) => one.id === id);
  if (app !== undefined) return app;
  throw new AppError('not_found', `Unknown client app "${id}".`, {
    fix: `Known apps: ${knownApps.map((one) => one.id).join(', ')}.`,
  });
}

/** The absolute paths for this machine's system. */
export function resolvePaths(machine: Machine, paths: PathsBySystem): string[] {
  const system: System = machine.platform === 'darwin' || machine.platform === 'win32' ? machine.platform : 'linux';
  const found = isList(paths) ? paths : (paths[system] ?? []);
  return found.map((one) => expand(machine, one));
}

/**
 * The files that an install writes: of several candidates the existing one; for an app with several builds, those of
 * all installed builds, the most recently used first. Empty: the app does not exist on this system.
 */
export async function userFiles(machine: Machine, app: KnownApp): Promise<readonly string[]> {
  const files = resolvePaths(machine, app.files);
  const [first] = files;
  if (first === undefined) return [];
  if (app.hasBuilds !== true) return [(await firstThere(files)) ?? first];
  const traces = resolvePaths(machine, app.traces);
  const builds = await Promise.all(
    files.map(async (file, index) => ({
      file,
      isThere: await fileExists(traces[index] ?? file),
      usedAt: await usedAt(file),
    })),
  );
  const live = builds.filter(({ isThere }) => isThere).toSorted((a, b) => b.usedAt - a.usedAt);
  return live.length === 0 ? [first] : live.map(({ file }) => file);
}

/** When the app last wrote the file, or into its folder, in ms since 1970; 0: neither exists. */
async function usedAt(file: string): Promise<number> {
  const stats = await Promise.all([file, path.dirname(file)].map((one) => stat(one).catch(() => undefined)));
  return Math.max(...stats.map((one) => one?.mtimeMs ?? 0));
}

/** The file of a project, if the app has one. */
export async function projectFile(machine: Machine, app: KnownApp, folder: string): Promise<string | undefined> {
  return firstThere(app.projectFiles.map((file) => pathOf(machine).join(folder, file)));
}

async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const one of paths) if (await fileExists(one)) return one;
  return paths[0];
}

export async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

function expand(machine: Machine, written: string): string {
  const { join, isAbsolute } = pathOf(machine);
  const [variable = '', ...rest] = written.split('/');
  const name = variable.slice(1);
  const given = Object.hasOwn(fallbacks, name) ? machine.env[name] : undefined;
  if (given !== undefined && isAbsolute(given)) return join(given, ...rest);
  if (name === 'APPSUPPORT') return join(machine.home, 'Library', 'Application Support', ...rest);
  return join(machine.home, ...(fallbacks[name] ?? '').split('/'), ...rest);
}

function pathOf({ platform }: Machine): Paths {
  return platform === 'win32' ? path.win32 : path.posix;
}

function isList(paths: PathsBySystem): paths is readonly string[] {
  return Array.isArray(paths);
}

/** The writer for a client app's file. */
export function configFormatFor({ format }: Pick<KnownApp, 'format'>): ConfigFormat {
  if (format === 'toml') return tomlFormat;
  return format === 'yaml' ? yamlFormat : jsoncFormat;
}
