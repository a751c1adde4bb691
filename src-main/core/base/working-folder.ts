/** The working folder of programs whose entry names none; never the current folder of the user. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, parse } from 'node:path';

/**
 * Returns the home folder of the program's environment, otherwise the user's, otherwise the root of the disk. Package
 * runners and interpreters load code and settings from their working folder (`node_modules`, `.npmrc`), so it must not
 * be a cloned repository.
 */
export function defaultWorkingFolder(env: Readonly<Record<string, string | undefined>>): string {
  const home = [env['HOME'], env['USERPROFILE'], homedir()].find((path) => path !== undefined && isUsable(path));
  return home ?? parse(process.execPath).root;
}

function isUsable(path: string): boolean {
  return isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
