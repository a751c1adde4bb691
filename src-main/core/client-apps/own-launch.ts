/** How client apps start Tooltray on this machine: the launcher that the desktop app keeps, else Node.js with our command line. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StdioLaunch } from './launch.ts';

export interface OwnProgram {
  /** Folder that the launcher is kept in, below `bin`. */
  readonly dataDir: string;
  readonly platform: NodeJS.Platform;
  /** Node.js and our command line's file, absolute. */
  readonly command: readonly [program: string, file: string];
  /** The folder of a private instance, which its apps have to name. */
  readonly home: string | undefined;
}

export function launcherPath(dataDir: string, platform: NodeJS.Platform): string {
  return join(dataDir, 'bin', platform === 'win32' ? 'tooltray.cmd' : 'tooltray');
}

/** The first is what an install writes; an entry with any of them is in order. */
export function ownLaunches(
  { dataDir, platform, command: [program, file], home }: OwnProgram,
  app: string,
): readonly [StdioLaunch, ...StdioLaunch[]] {
  const words = ['stdio', '--app', app];
  const env = home === undefined ? {} : { env: { TOOLTRAY_HOME: home } };
  const direct = { command: program, args: [file, ...words], ...env };
  const launcher = launcherPath(dataDir, platform);
  return existsSync(launcher) ? [{ command: launcher, args: words, ...env }, direct] : [direct];
}
