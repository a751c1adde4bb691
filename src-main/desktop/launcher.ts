/** Writes the launcher into a folder of the person's own and mends it at each start: client apps keep its path for good. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../core/base/atomic-file.ts';
import { backgroundFlag } from './autostart.ts';
import { type LauncherFacts, unixLauncher, windowsLauncher } from './launcher-text.ts';

export interface AppLocation {
  readonly platform: NodeJS.Platform;
  /** Path of the running executable. */
  readonly program: string;
  /** Folder of what is packed beside the app. */
  readonly resources: string;
  /** The AppImage that we run from. */
  readonly appImage: string | undefined;
}

/** Undefined where the app runs from a place that is gone after this start: whatever was written before stays. */
export function launcherFacts({ program, resources, appImage }: AppLocation): LauncherFacts | undefined {
  // macOS runs what was downloaded and never moved from a random folder.
  if (program.includes('/AppTranslocation/')) return undefined;
  const appWords = [backgroundFlag];
  if (appImage !== undefined) return { program: appImage, shim: 'in-appimage', appWords };
  return { program, shim: { file: join(resources, 'shim', 'shim.cjs') }, appWords };
}

/** Resolves to whether the file had to be written. */
export async function keepLauncher(file: string, facts: LauncherFacts, platform: NodeJS.Platform): Promise<boolean> {
  const text = platform === 'win32' ? windowsLauncher(facts) : unixLauncher(facts);
  if (textOf(file) === text) return false;
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
