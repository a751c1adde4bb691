/** The folder that programs start in where their entry names none: never the folder that the user happens to be in. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, parse } from 'node:path';

/**
 * Returns the home folder of the environment that a program gets, else the user's, else the root of the disk. Package
 * runners and interpreters load code and settings from where they start (`node_modules`, `.npmrc`), so a cloned
 * repository must not be that place.
 */
export function defaultWorkingFolder(env: Readonly<Record<string, string | undefined>>): string {
  const home = [env['HOME'], env['USERPROFILE'], homedir()].find((path) => path !== undefined && isUsable(path));
  return home ?? parse(process.execPath).root;
}

function isUsable(path: string): boolean {
  return isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
