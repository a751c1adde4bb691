/** Finds a command's path by the operating system's own rules. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, extname, isAbsolute, resolve } from 'node:path';
import { defaultWorkingFolder } from '../../base/working-folder.ts';

/**
 * Returns the command's absolute path, or undefined if there is no such executable. Relative paths start from `cwd`.
 */
export async function findCommand(
  command: string,
  env: ResolvedEnv,
  cwd: string = defaultWorkingFolder(env),
): Promise<string | undefined> {
  const windows = process.platform === 'win32';
  for (const folder of foldersFor(command, env, cwd, windows)) {
    for (const extension of extensionsFor(command, env, windows)) {
      const path = resolve(folder, command + extension);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

function foldersFor(command: string, env: ResolvedEnv, cwd: string, windows: boolean): readonly string[] {
  if (isAbsolute(command) || command.includes('/') || (windows && command.includes('\\'))) return [cwd];
  const folders = (variable(env, 'PATH', windows) ?? '').split(delimiter).filter((folder) => folder !== '');
  // Windows searches the working folder first.
  return windows ? [cwd, ...folders] : folders.map((folder) => resolve(cwd, folder));
}

function extensionsFor(command: string, env: ResolvedEnv, windows: boolean): readonly string[] {
  if (!windows) return [''];
  const extensions = pathExtensions(variable(env, 'PATHEXT', true));
  const given = extname(command).toUpperCase();
  return extensions.some((extension) => extension.toUpperCase() === given) ? [''] : extensions;
}

const defaultExtensions = '.COM;.EXE;.BAT;.CMD';

/** The extensions of programs on Windows. A PATHEXT without `.EXE`, as packaged client apps pass on, is ignored. */
export function pathExtensions(given: string | undefined): readonly string[] {
  const extensions = given?.split(';').filter((extension) => extension !== '') ?? [];
  return extensions.some((extension) => extension.toUpperCase() === '.EXE') ? extensions : defaultExtensions.split(';');
}

function variable(env: ResolvedEnv, name: string, ignoreCase: boolean): string | undefined {
  if (!ignoreCase || env[name] !== undefined) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

export type ResolvedEnv = Readonly<Record<string, string>>;
