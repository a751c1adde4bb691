/** What an entry of any app launches, whatever the app calls its keys; and whether that is us. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import { type AppEntry, entryName, type HttpLaunch, isHttp, type Launch, type StdioLaunch } from './launch.ts';

export interface ServerLaunch extends StdioLaunch {
  readonly cwd?: string | undefined;
}

/** Keys that say how a server is reached; the others are what the person or the app has set for it. */
export const launchKeys: ReadonlySet<string> = new Set([
  ...['command', 'cmd', 'args', 'env', 'envs', 'environment', 'cwd', 'working_directory', 'path'],
  ...['url', 'uri', 'serverUrl', 'httpUrl', 'headers', 'http_headers', 'requestInit'],
  ...['type', 'transport', 'transportType', 'source'],
]);

/** Undefined for an entry that launches nothing: a built-in extension, a half-written one. */
export function launchOf(entry: AppEntry): ServerLaunch | HttpLaunch | undefined {
  const url = text(entry, 'url', 'serverUrl', 'httpUrl', 'uri');
  if (url !== undefined) {
    const { requestInit } = entry;
    return { url, headers: texts(isObject(requestInit) ? requestInit : entry, 'headers', 'http_headers') };
  }
  // Zed's old form has the command as an object, opencode's as a list.
  const written = isObject(entry['command']) ? { ...entry, ...entry['command'] } : entry;
  const line = [written['command'], written['cmd'], written['path']].find((value) => value !== undefined);
  const [command, ...more] = Array.isArray(line) ? line.map(String) : typeof line === 'string' ? [line] : [];
  if (command === undefined || command === '') return undefined;
  const args = Array.isArray(written['args']) ? written['args'].map(String) : [];
  const env = texts(written, 'env', 'envs', 'environment');
  return { command, args: [...more, ...args], env, cwd: text(written, 'cwd', 'working_directory') };
}

export function isSwitchedOff(entry: AppEntry): boolean {
  return entry['disabled'] === true || entry['enabled'] === false;
}

/** Is this entry ours, whoever wrote it and wherever Tooltray was then? */
export function isOurs(name: string, entry: AppEntry): boolean {
  if (name === entryName) return true;
  const launch = launchOf(entry);
  if (launch === undefined) return false;
  if (isHttp(launch))
    return /^https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?\/mcp\/(?:app|mode)\/[^/]+$/.test(launch.url);
  const parts = [launch.command, ...launch.args];
  const isProgram = parts.some((part) =>
    /(?:^|[\\/])(?:tooltray(?:\.\w+)?|shim\.cjs)$|[\\/]tooltray[\\/].*cli\.js$/i.test(part),
  );
  return isProgram && launch.args.includes('stdio');
}

/** Does the entry launch exactly this? */
export function launches(entry: AppEntry, wanted: Launch): boolean {
  const found = launchOf(entry);
  return found !== undefined && isDeepStrictEqual(plain(found), plain(wanted));
}

/** Without what is empty, which apps spell in several ways. */
function plain(launch: Launch): unknown {
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
