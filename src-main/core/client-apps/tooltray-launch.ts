/**
 * How client apps start Tooltray on this machine: the desktop app's launcher, otherwise Node.js with our command line.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { launcherPath } from '../base/app-paths.ts';
import { AppError } from '../base/errors.ts';
import { parseLaunch, readAppServers } from './app-servers.ts';
import type { AppConfigFile } from './update-app-file.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { repairEntry } from './install.ts';
import {
  type AppEntry,
  entryName,
  type HttpLaunch,
  isHttp,
  type KnownApp,
  type AppLaunch,
  serverOfLaunch,
  type StdioLaunch,
} from './known-app.ts';
import { knownApps } from './known-apps.ts';

export interface TooltrayProgram {
  /** The launcher is in its subfolder `bin`. */
  readonly dataDir: string;
  readonly platform: NodeJS.Platform;
  /** Absolute: a package's command, or Node.js with our command line's file; undefined in the desktop app. */
  readonly command: readonly [program: string, ...file: string[]] | undefined;
  /** The folder of a private instance, which entries must name. */
  readonly home: string | undefined;
}

/** The command for a project's file if it is on the PATH: a path of this machine would be useless to others. */
export const sharedCommand = 'tooltray';

/** The first one is what an install writes; an entry with any of them is valid. */
export function tooltrayLaunches(
  { dataDir, platform, command, home }: TooltrayProgram,
  app: string,
): readonly [StdioLaunch, ...StdioLaunch[]] {
  const words = wordsFor(app);
  const env = home === undefined ? {} : { env: { TOOLTRAY_HOME: home } };
  const launcherFile = launcherPath(dataDir, platform);
  const launcher = { command: launcherFile, args: words, ...env };
  if (command === undefined) return [launcher];
  const [program, ...file] = command;
  const direct = { command: program, args: [...file, ...words], ...env };
  return existsSync(launcherFile) ? [launcher, direct] : [direct];
}

/** The same for a project's file: by name if the PATH has it. Apps that share the file count as one. */
export function projectLaunches(
  program: TooltrayProgram,
  { id, projectFiles }: KnownApp,
  isOnPath: boolean,
): readonly [StdioLaunch, ...StdioLaunch[]] {
  const shared = knownApps.filter((app) => app.id !== id && app.projectFiles[0] === projectFiles[0]);
  const [first, ...others] = tooltrayLaunches(program, id);
  const all = [first, ...others, ...shared.flatMap((app) => tooltrayLaunches(program, app.id))];
  if (!isOnPath) return [first, ...all];
  const named = (app: string): StdioLaunch => ({ ...first, command: sharedCommand, args: wordsFor(app) });
  return [named(id), ...shared.map((app) => named(app.id)), ...all];
}

function wordsFor(app: string): string[] {
  return ['stdio', '--app', app];
}

/** How client apps reach Tooltray over HTTP: with an address and a token per app. */
export interface HttpEndpoint {
  /** `http://127.0.0.1:8690/mcp` */
  readonly url: string;
  /** Whether it stays the same at the next start. */
  readonly lasting: boolean;
}

/**
 * `http`: the address of a running core, `''` if it does not listen; undefined: no core runs. `port`: from the config.
 */
export function httpEndpoint(http: string | undefined, port: number): HttpEndpoint | undefined {
  const configured = port === 0 ? undefined : `http://127.0.0.1:${port}/mcp`;
  const url = http ?? configured;
  return url === undefined || url === '' ? undefined : { url, lasting: url === configured };
}

/** Throws AppError `unsupported` if there is no address. */
export function httpLaunch(address: HttpEndpoint | undefined, app: string, token: string): HttpLaunch {
  if (address === undefined) {
    throw new AppError('unsupported', 'Tooltray currently has no HTTP address for apps.', {
      fix: 'Set a free "port" in the config file, or omit --http to connect the app with a command.',
    });
  }
  return {
    url: `${address.url}/app/${encodeURIComponent(app)}`,
    headers: { Authorization: `Bearer ${token}` },
  };
}

/** Returns a warning if the address is valid for this run only; otherwise undefined. */
export function unstablePortWarning({ url, lasting }: HttpEndpoint): string | undefined {
  if (lasting) return undefined;
  return `${new URL(url).host} is the address of this run only; it differs from "port" in the config file. After the next start, the app cannot connect to it.`;
}

/** The token of an entry with the app's own address. */
export function tokenIn(launch: AppLaunch | undefined, app: string): string | undefined {
  if (launch === undefined || !isHttp(launch)) return undefined;
  if (!launch.url.endsWith(`/mcp/app/${encodeURIComponent(app)}`)) return undefined;
  return /^Bearer ([\w-]{43})$/.exec(launch.headers?.['Authorization'] ?? '')?.[1];
}

// Repairs our own entries in client apps: an entry whose program is missing is rewritten.

/**
 * Returns the repaired entries. An entry of another instance (its own TOOLTRAY_HOME), or one that works, stays
 * unchanged.
 */
export async function repairEntries(
  places: readonly AppConfigFile[],
  launchFor: (app: string) => StdioLaunch,
  journal: ChangeJournal,
  onProblem: (place: AppConfigFile, error: unknown) => void,
): Promise<readonly AppChange[]> {
  const changes: AppChange[] = [];
  for (const place of places) {
    const wanted = launchFor(place.app.id);
    const { ours } = await readAppServers(place);
    const isOurName = ({ name, launch }: (typeof ours)[number]): boolean =>
      name === entryName || serverOfLaunch(launch) !== undefined;
    if (!ours.some((one) => isOurName(one) && isGone(one.entry, wanted))) continue;
    try {
      const change = await repairEntry(place, wanted, journal);
      if (change !== undefined) changes.push(change);
    } catch (error) {
      onProblem(place, error);
    }
  }
  return changes;
}

function isGone(entry: AppEntry, wanted: StdioLaunch): boolean {
  const launch = parseLaunch(entry);
  if (launch === undefined || isHttp(launch)) return false;
  if (launch.env?.['TOOLTRAY_HOME'] !== wanted.env?.['TOOLTRAY_HOME']) return false;
  const files = [launch.command, ...launch.args.filter((word) => /\.c?js$/.test(word))];
  return files.some((file) => isAbsolute(file) && !existsSync(file));
}
