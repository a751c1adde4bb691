/** Reads the servers in an app's config file, separated from our entries. */
import { isDeepStrictEqual } from 'node:util';
import { errorText } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type AppConfigFile, readAppFile } from './update-app-file.ts';
import { entriesAt } from './formats/config-format.ts';
import { configFormatFor } from './app-files.ts';
import {
  type AppEntry,
  type AppLaunch,
  entryLaunches,
  entryName,
  type HttpLaunch,
  isHttp,
  serverOfLaunch,
  type StdioLaunch,
} from './known-app.ts';

interface AppServer {
  readonly name: string;
  /** The keys of the entry, including its name. */
  readonly path: readonly string[];
  /** The entry in the app's file, secrets included. */
  readonly entry: AppEntry;
  /** Undefined if it launches nothing that we could launch. */
  readonly launch: ServerLaunch | HttpLaunch | undefined;
  readonly enabled: boolean;
}

export interface AppServers {
  /** The app's own servers. */
  readonly servers: readonly AppServer[];
  /** The entries that lead to Tooltray. */
  readonly ours: readonly AppServer[];
  /** Why the file cannot be read; empty if it can. */
  readonly problem: string;
}

/** Never throws: an invalid file is part of the result. */
export async function readAppServers(place: AppConfigFile): Promise<AppServers> {
  try {
    return appServersIn((await readAppFile(place.file)) ?? '', place);
  } catch (error) {
    return { servers: [], ours: [], problem: errorText(error) };
  }
}

/** Throws AppError `config_invalid`. */
function appServersIn(text: string, { app }: Pick<AppConfigFile, 'app'>): AppServers {
  const root = configFormatFor(app).read(text);
  const all = [app.container, ...(app.alsoReads ?? [])].flatMap((container) =>
    entriesAt(root, container).map(([path, entry]): AppServer => {
      const name = path.at(-1) ?? '';
      return { name, path, entry, launch: parseLaunch(entry), enabled: !isSwitchedOff(entry) };
    }),
  );
  const [ours, servers] = [all.filter(isOur), all.filter((server) => !isOur(server))];
  return { servers, ours, problem: '' };
}

/**
 * `stale`: our entry launches something else than it would now; or there is one entry per server, and
 * `servers` has changed.
 */
export function connectionStateOf(
  ours: readonly AppServer[],
  wanted: readonly AppLaunch[],
  servers: readonly string[] = [],
): 'no' | 'yes' | 'stale' {
  if (ours.length === 0) return 'no';
  const split = splitServers(ours);
  const isWritten = wanted.some((launch) => areWritten(ours, launch, split.length === 0 ? [] : servers));
  const fits = isWritten && split.every((name) => servers.includes(name));
  return fits ? 'yes' : 'stale';
}

/** Whether exactly this entry exists, or with `servers` one per server. */
export function areWritten(ours: readonly AppServer[], launch: AppLaunch, servers: readonly string[]): boolean {
  const launches = [...entryLaunches(launch, servers).values()];
  return launches.every((one) => ours.some(({ entry }) => matchesLaunch(entry, one)));
}

/** The servers with an entry of their own; empty if a single entry serves all. */
export function splitServers(ours: readonly AppServer[]): readonly string[] {
  return ours.flatMap(({ launch }) => serverOfLaunch(launch) ?? []);
}

function isOur({ name, entry }: AppServer): boolean {
  return isTooltrayEntry(name, entry);
}

// Parses what an entry of any app launches, and recognizes our own.

interface ServerLaunch extends StdioLaunch {
  readonly cwd?: string | undefined;
}

/** Keys that say how to reach a server; the others are settings of the user or the app. */
export const launchKeys: ReadonlySet<string> = new Set([
  ...['command', 'cmd', 'args', 'env', 'envs', 'environment', 'cwd', 'working_directory', 'path'],
  ...['url', 'uri', 'serverUrl', 'httpUrl', 'headers', 'http_headers', 'requestInit'],
  ...['type', 'transport', 'transportType', 'source'],
]);

/** Undefined for an entry that launches nothing, such as a built-in extension or an incomplete one. */
export function parseLaunch(entry: AppEntry): ServerLaunch | HttpLaunch | undefined {
  const url = text(entry, 'url', 'serverUrl', 'httpUrl', 'uri');
  if (url !== undefined) {
    const { requestInit } = entry;
    return { url, headers: texts(isObject(requestInit) ? requestInit : entry, 'headers', 'http_headers') };
  }
  // Zed's old format has the command as an object, opencode's as a list.
  const written = isObject(entry['command']) ? { ...entry, ...entry['command'] } : entry;
  const line = [written['command'], written['cmd'], written['path']].find((value) => value !== undefined);
  const [command, ...more] = Array.isArray(line) ? line.map(String) : typeof line === 'string' ? [line] : [];
  if (command === undefined || command === '') return undefined;
  const args = Array.isArray(written['args']) ? written['args'].map(String) : [];
  const env = texts(written, 'env', 'envs', 'environment');
  return { command, args: [...more, ...args], env, cwd: text(written, 'cwd', 'working_directory') };
}

function isSwitchedOff(entry: AppEntry): boolean {
  return entry['disabled'] === true || entry['enabled'] === false;
}

/** Whether the entry starts Tooltray, regardless of its author and of the place of the installation. */
export function isTooltrayEntry(name: string, entry: AppEntry): boolean {
  if (name === entryName) return true;
  const launch = parseLaunch(entry);
  if (launch === undefined) return false;
  if (isHttp(launch))
    return /^https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?\/mcp\/(?:app|mode)\/[^/]+$/.test(launch.url);
  const parts = [launch.command, ...launch.args];
  const isProgram = parts.some((part) =>
    /(?:^|[\\/])(?:tooltray(?:\.\w+)?|shim\.cjs)$|[\\/]tooltray[\\/].*cli\.js$/i.test(part),
  );
  const isCommandLine = launch.args.includes('--app') && parts.some((part) => /[\\/]cli\.js$/.test(part));
  return (isProgram || isCommandLine) && launch.args.includes('stdio');
}

/** Whether the entry launches exactly this. */
export function matchesLaunch(entry: AppEntry, wanted: AppLaunch): boolean {
  const found = parseLaunch(entry);
  return found !== undefined && isDeepStrictEqual(plain(found), plain(wanted));
}

/** Omits empty members, which apps write in several ways. */
function plain(launch: AppLaunch): unknown {
  const filled = (value: unknown): boolean =>
    value !== undefined && !(isObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(launch).filter(([, value]) => filled(value)));
}

function text(entry: AppEntry, ...keys: readonly string[]): string | undefined {
  const value = keys.map((key) => entry[key]).find((one) => one !== undefined);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(entry: AppEntry, ...keys: readonly string[]): Record<string, string> | undefined {
  const value = keys.map((key) => entry[key]).find(isObject);
  if (value === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)]),
  );
}
