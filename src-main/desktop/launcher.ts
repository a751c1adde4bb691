/** Writes the launcher into a folder of the person's own and mends it at each start: client apps keep its path for good. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { backgroundFlag } from './autostart.ts';
import { type LauncherFacts, programOf, unixLauncher, windowsLauncher } from './launcher-text.ts';

export interface AppLocation {
  /** Path of the running executable. */
  readonly program: string;
  /** Folder of what is packed beside the app. */
  readonly resources: string;
  /** The AppImage that we run from. */
  readonly appImage: string | undefined;
  /** The checkout that we run from; Electron is told which app to be. */
  readonly checkout: string | undefined;
}

export interface LauncherKeeping {
  readonly platform: NodeJS.Platform;
  /** The app will be where it is now; else a launcher that still finds another one is left as it is. */
  readonly isLasting: boolean;
}

/** macOS runs what was downloaded and never moved from a random folder. */
export function isTranslocated(program: string): boolean {
  return program.includes('/AppTranslocation/');
}

export function launcherFacts({ program, resources, appImage, checkout }: AppLocation): LauncherFacts {
  const appWords = [backgroundFlag];
  if (appImage !== undefined) return { program: appImage, shim: 'in-appimage', appWords };
  if (checkout === undefined) return { program, shim: { file: join(resources, 'shim', 'shim.cjs') }, appWords };
  return { program, shim: { file: join(checkout, 'dist', 'shim.cjs') }, appWords: [checkout, ...appWords] };
}

/** Resolves to whether the file had to be written. */
export async function keepLauncher(
  file: string,
  facts: LauncherFacts,
  { platform, isLasting }: LauncherKeeping,
): Promise<boolean> {
  const text = platform === 'win32' ? windowsLauncher(facts) : unixLauncher(facts);
  const before = textOf(file);
  if (before !== undefined) chmodSync(file, 0o755);
  if (before === text || (!isLasting && before !== undefined && existsSync(programOf(before) ?? ''))) return false;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, text, { mode: 0o755 });
  return true;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
