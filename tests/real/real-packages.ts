/** Whether the real servers and client apps are installed, and the paths of their programs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, packagesFolder } from '../../scripts/clients/install-packages.mjs';

/** Set by `npm run test:clients`, which includes client apps of several hundred MB. */
export const bigClientsWanted = process.env['TOOLTRAY_TEST_CLIENTS'] === 'all';

/** Installs them if necessary. Resolves to false, after printing a message, if that fails; in CI it rejects. */
export async function havePackages(): Promise<boolean> {
  try {
    await installPackages({ all: bigClientsWanted });
    return true;
  } catch (error) {
    if (process.env['CI'] === 'true' || bigClientsWanted) throw error;
    console.warn(`SKIPPED: tests with real MCP servers and client apps. ${(error as Error).message}`);
    return false;
  }
}

/** A command that runs a program of a package; `name` is for packages with several. */
export function programOf(packageName: string, name?: string): { command: string; args: string[] } {
  const folder = join(packagesFolder, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === 'string' ? bin : name === undefined ? Object.values(bin)[0] : bin[name];
  const path = join(folder, file as string);
  // Everything else is a native program.
  return /\.[cm]?js$/.test(path) ? { command: process.execPath, args: [path] } : { command: path, args: [] };
}

/** Path of a file in a package. */
export function fileOf(packageName: string, file: string): string {
  return join(packagesFolder, 'node_modules', packageName, file);
}
