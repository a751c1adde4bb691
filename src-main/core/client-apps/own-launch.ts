/** How client apps start Tooltray on this machine: the launcher that the desktop app keeps, else Node.js with our command line. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownApp } from './known-app.ts';
import { knownApps } from './known-apps.ts';
import type { StdioLaunch } from './launch.ts';

export interface OwnProgram {
  /** Folder that the launcher is kept in, below `bin`. */
  readonly dataDir: string;
  readonly platform: NodeJS.Platform;
  /** Node.js and our command line's file, absolute; undefined in the desktop app, which is no Node.js. */
  readonly command: readonly [program: string, file: string] | undefined;
  /** The folder of a private instance, which its apps have to name. */
  readonly home: string | undefined;
}

/** What stands in a project's file where the PATH knows it: a path of this machine would be of no use to others. */
export const sharedCommand = 'tooltray';

export function launcherPath(dataDir: string, platform: NodeJS.Platform): string {
  return join(dataDir, 'bin', platform === 'win32' ? 'tooltray.cmd' : 'tooltray');
}

/** The first is what an install writes; an entry with any of them is in order. */
export function ownLaunches(
  { dataDir, platform, command, home }: OwnProgram,
  app: string,
): readonly [StdioLaunch, ...StdioLaunch[]] {
  const words = wordsFor(app);
  const env = home === undefined ? {} : { env: { TOOLTRAY_HOME: home } };
  const file = launcherPath(dataDir, platform);
  const launcher = { command: file, args: words, ...env };
  if (command === undefined) return [launcher];
  const direct = { command: command[0], args: [command[1], ...words], ...env };
  return existsSync(file) ? [launcher, direct] : [direct];
}

/** The same for a file of a project: by name where the PATH has it. Apps that read the same file are one. */
export function projectLaunches(
  program: OwnProgram,
  { id, projectFiles }: KnownApp,
  isOnPath: boolean,
): readonly [StdioLaunch, ...StdioLaunch[]] {
  const shared = knownApps.filter((app) => app.id !== id && app.projectFiles[0] === projectFiles[0]);
  const [first, ...others] = ownLaunches(program, id);
  const all = [first, ...others, ...shared.flatMap((app) => ownLaunches(program, app.id))];
  if (!isOnPath) return [first, ...all];
  const named = (app: string): StdioLaunch => ({ ...first, command: sharedCommand, args: wordsFor(app) });
  return [named(id), ...shared.map((app) => named(app.id)), ...all];
}

function wordsFor(app: string): string[] {
  return ['stdio', '--app', app];
}
