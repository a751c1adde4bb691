/** Our entry in an app's file, and the texts with it and without it. */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { isTooltrayEntry, launchKeys, parseLaunch } from './app-servers.ts';
import { entriesAt, valueAt } from './formats/config-format.ts';
import { configFormatFor } from './app-files.ts';
import {
  type AppEntry,
  type AppLaunch,
  entryLaunches,
  entryName,
  isHttp,
  type KnownApp,
  serverOfLaunch,
} from './known-app.ts';

/** Throws AppError `unsupported` if the app's file does not support addresses. */
export function createTooltrayEntry(app: KnownApp, launch: AppLaunch): AppEntry {
  if (!isHttp(launch)) return app.shape.stdio(launch);
  if (app.shape.http !== undefined) return app.shape.http(launch);
  throw new AppError('unsupported', `${app.name} does not support URLs in its config file.`, {
    fix: 'Connect it with a command instead.',
  });
}

export interface EntryOptions {
  readonly launch: AppLaunch;
  /** Servers with an entry each, instead of one entry for all. */
  readonly servers?: readonly string[];
  /** A disabled entry stays disabled. */
  readonly keepSwitch?: boolean;
}

/**
 * The text with our entry. Other settings in an existing entry of ours (tools without approval, time limits) stay; a
 * disabled entry becomes enabled unless `keepSwitch`. With `servers` there is one entry per server instead.
 */
export function insertEntry(
  text: string,
  app: KnownApp,
  { launch, servers = [], keepSwitch = false }: EntryOptions,
): string {
  const launches = entryLaunches(launch, servers);
  const start = removeEntries(text, app, (name, entry) =>
    servers.length > 0 ? !launches.has(name) : serverOfLaunch(parseLaunch(entry)) !== undefined,
  );
  return [...launches].reduce((written, [name, one]) => insertOne(written, app, name, one, keepSwitch), start);
}

/** If another program has an entry of the same name, it stays, and ours is named `tooltray-NAME`. */
function insertOne(text: string, app: KnownApp, wanted: string, launch: AppLaunch, keepSwitch: boolean): string {
  const format = configFormatFor(app);
  const entries = entriesAt(format.read(text), app.container);
  const isForeign = entries.some(([path, entry]) => path.at(-1) === wanted && !isTooltrayEntry(wanted, entry));
  const name = isForeign ? `${entryName}-${wanted}` : wanted;
  const path = [...app.container, name];
  const there = valueAt(format.read(text), path);
  const created = createTooltrayEntry(app, launch);
  const fresh = created['name'] === entryName ? { ...created, name } : created;
  const entry = isObject(there) ? merged(there, fresh, keepSwitch) : fresh;
  const written = isDeepStrictEqual(entry, there) ? text : format.set(text, path, entry);
  return withAllowed(written, app, (names) => (names.includes(name) ? names : [...names, name]));
}

/** Edits the list of servers that the app may start, if it has such a list. */
function withAllowed(text: string, app: KnownApp, edit: (names: readonly unknown[]) => readonly unknown[]): string {
  const { allowList = [] } = app;
  const names = allowList.length === 0 ? undefined : valueAt(configFormatFor(app).read(text), allowList);
  if (!Array.isArray(names)) return text;
  const next = edit(names as readonly unknown[]);
  return isDeepStrictEqual(next, names) ? text : configFormatFor(app).set(text, allowList, next as unknown as AppEntry);
}

/** Removes every entry that leads to us, or those that match `isMeant`. */
export function removeEntries(
  text: string,
  app: KnownApp,
  isMeant: (name: string, entry: AppEntry) => boolean = () => true,
): string {
  const format = configFormatFor(app);
  return entriesAt(format.read(text), app.container)
    .map(([path, entry]) => ({ path, entry, name: path.at(-1) ?? '' }))
    .filter(({ name, entry }) => isTooltrayEntry(name, entry) && isMeant(name, entry))
    .reduce((rest, { path, name: removed }) => {
      const without = format.remove(rest, path);
      return withAllowed(without, app, (names) => names.filter((name) => name !== removed));
    }, text);
}

/** Returns a snippet to paste into an empty file. */
export function snippetFor(app: KnownApp, launch: AppLaunch, servers: readonly string[] = []): string {
  return insertEntry('', app, { launch, servers }).trimEnd();
}

function merged(there: AppEntry, fresh: AppEntry, keepSwitch: boolean): AppEntry {
  const settings = Object.entries(there).filter(
    ([key]) => !launchKeys.has(key) && (keepSwitch || (key !== 'enabled' && key !== 'disabled')),
  );
  return { ...fresh, ...Object.fromEntries(settings) };
}

// Links with which an app asks its user to add Tooltray, instead of a change of its file.

type MakeLink = (app: KnownApp, launch: AppLaunch) => string | undefined;

const makers: Readonly<Record<string, MakeLink>> = {
  cursor: (app, launch) =>
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${entryName}&config=${inBase64(createTooltrayEntry(app, launch))}`,
  vscode: (app, launch) => `vscode:mcp/install?${inJson({ name: entryName, ...createTooltrayEntry(app, launch) })}`,
  'vscode-insiders': (app, launch) =>
    `vscode-insiders:mcp/install?${inJson({ name: entryName, ...createTooltrayEntry(app, launch) })}`,
  'lm-studio': (app, launch) =>
    `lmstudio://add_mcp?name=${entryName}&config=${inBase64(createTooltrayEntry(app, launch))}`,
  kiro: (app, launch) =>
    `https://kiro.dev/launch/mcp/add?name=${entryName}&config=${inJson(createTooltrayEntry(app, launch))}`,
  // Its links start only a few well-known launchers, so ours uses the address; they carry no headers.
  goose: (_, launch) =>
    isHttp(launch) && launch.headers === undefined
      ? `goose://extension?type=streamable_http&url=${encodeURIComponent(launch.url)}&id=${entryName}&name=Tooltray&description=${encodeURIComponent('All MCP servers of this machine')}`
      : undefined,
};

/** Undefined if the app has no such links, or none for this launch. */
export function installLink(app: KnownApp, launch: AppLaunch): string | undefined {
  return Object.hasOwn(makers, app.id) ? makers[app.id]?.(app, launch) : undefined;
}

function inJson(entry: AppEntry): string {
  return encodeURIComponent(JSON.stringify(entry));
}

/** `+`, `/` and `=` have other meanings in an address. */
function inBase64(entry: AppEntry): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString('base64'));
}
