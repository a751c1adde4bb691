/** Mends our own entries in client apps: one that starts what is no longer there is written anew. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { readAppServers } from './app-servers.ts';
import type { AppPlace } from './change-app-file.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { launchOf } from './entry-launch.ts';
import { repairEntry } from './install.ts';
import { type AppEntry, entryName, isHttp, type StdioLaunch } from './launch.ts';

/** The entries that were mended. An entry of another instance (its own TOOLTRAY_HOME), or one that still works, is left alone. */
export async function repairOwnEntries(
  places: readonly AppPlace[],
  launchFor: (app: string) => StdioLaunch,
  journal: ChangeJournal,
  onProblem: (place: AppPlace, error: unknown) => void,
): Promise<readonly AppChange[]> {
  const changes: AppChange[] = [];
  for (const place of places) {
    const wanted = launchFor(place.app.id);
    const { ours } = await readAppServers(place);
    if (!ours.some(({ name, entry }) => name === entryName && isGone(entry, wanted))) continue;
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
  const launch = launchOf(entry);
  if (launch === undefined || isHttp(launch)) return false;
  if (launch.env?.['TOOLTRAY_HOME'] !== wanted.env?.['TOOLTRAY_HOME']) return false;
  const files = [launch.command, ...launch.args.filter((word) => /\.c?js$/.test(word))];
  return files.some((file) => isAbsolute(file) && !existsSync(file));
}
