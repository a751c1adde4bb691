/** Our entry in an app's file: what it should be, and the texts with it and without it. */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { isOurs, launchKeys } from './entry-launch.ts';
import { entriesAt, formatOf } from './formats/config-format.ts';
import { valueAt } from './formats/wanted-value.ts';
import type { KnownApp } from './known-app.ts';
import { type AppEntry, entryName, isHttp, type Launch } from './launch.ts';

/** Throws AppError `unsupported` when the app's file takes no addresses. */
export function entryFor(app: KnownApp, launch: Launch): AppEntry {
  if (!isHttp(launch)) return app.shape.stdio(launch);
  if (app.shape.http !== undefined) return app.shape.http(launch);
  throw new AppError('unsupported', `${app.name} takes no addresses in its config file.`, {
    fix: 'Connect it by its command instead.',
  });
}

/**
 * The text with our entry. What the person or the app has set in an entry of ours (tools that need no asking, time limits) stays;
 * that it is switched off does not, unless `keepSwitch`.
 */
export function withOurEntry(text: string, app: KnownApp, launch: Launch, keepSwitch = false): string {
  const format = formatOf(app);
  const path = [...app.container, entryName];
  const there = valueAt(format.read(text), path);
  const fresh = entryFor(app, launch);
  const entry = isObject(there) ? merged(there, fresh, keepSwitch) : fresh;
  return isDeepStrictEqual(entry, there) ? text : format.set(text, path, entry);
}

/** The text without any entry that leads to us. */
export function withoutOurEntries(text: string, app: KnownApp): string {
  const format = formatOf(app);
  return entriesAt(format.read(text), app.container)
    .filter(([path, entry]) => isOurs(path.at(-1) ?? '', entry))
    .reduce((rest, [path]) => format.remove(rest, path), text);
}

/** What a person would paste into an empty file. */
export function snippetFor(app: KnownApp, launch: Launch): string {
  return formatOf(app)
    .set('', [...app.container, entryName], entryFor(app, launch))
    .trimEnd();
}

function merged(there: AppEntry, fresh: AppEntry, keepSwitch: boolean): AppEntry {
  const settings = Object.entries(there).filter(
    ([key]) => !launchKeys.has(key) && (keepSwitch || (key !== 'enabled' && key !== 'disabled')),
  );
  return { ...fresh, ...Object.fromEntries(settings) };
}
