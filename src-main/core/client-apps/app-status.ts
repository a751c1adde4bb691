/** Determines the status of each client app, for the list of apps. */
import type { AppRow } from './app-rows.ts';
import { type AppServers, connectionStateOf, readAppServers, splitServers } from './app-servers.ts';
import type { FoundApp } from './find-apps.ts';
import { installLink } from './tooltray-entry.ts';
import { isHttp, type AppLaunch } from './known-app.ts';
import { placesOf } from './update-app-file.ts';

/** A row without the data from our own records. */
type AppStatus = Omit<AppRow, 'revoked'>;

/**
 * `wanted`: how this app can reach us now, beginning with what an install would write. `own`: the servers that would
 * get an entry of their own.
 */
export async function loadAppStatus(
  found: FoundApp,
  wanted: readonly [AppLaunch, ...AppLaunch[]],
  own: readonly string[] = [],
): Promise<AppStatus> {
  const { app, file, installed, running } = found;
  const { servers, ours, problem } = await readAppServers(found);
  return {
    id: app.id,
    name: app.name,
    installed,
    running,
    connected: await connectedIn(found, connectionStateOf(ours, wanted, own), wanted, own),
    via: viaOf(ours),
    split: splitServers(ours).length > 0,
    ...outOfStep(splitServers(ours), own),
    configFile: file,
    servers: servers.length,
    problem,
    link: installLink(app, wanted[0]),
  };
}

/** Names the enabled servers without an entry, and the entries without such a server. */
function outOfStep(split: readonly string[], own: readonly string[]): Pick<AppStatus, 'outOfStep'> {
  const without = (names: readonly string[], others: readonly string[]): string =>
    names.filter((name) => !others.includes(name)).join(', ');
  const [added, removed] = [without(own, split), without(split, own)];
  if (split.length === 0 || (added === '' && removed === '')) return {};
  const texts = [
    ...(added === '' ? [] : [`no entry for ${added}`]),
    ...(removed === '' ? [] : [`entries for ${removed}, which is not enabled here`]),
  ];
  return { outOfStep: `It has ${texts.join(', and ')}.` };
}

/** An app with several builds is connected if all of them are. */
async function connectedIn(
  found: FoundApp,
  first: AppStatus['connected'],
  wanted: readonly [AppLaunch, ...AppLaunch[]],
  own: readonly string[],
): Promise<AppStatus['connected']> {
  const [, ...others] = placesOf(found);
  const all = await Promise.all(
    others.map(async (place) => connectionStateOf((await readAppServers(place)).ours, wanted, own)),
  );
  return first === 'yes' && all.some((one) => one !== 'yes') ? 'stale' : first;
}

/** If there are several entries of ours, the first counts, because an install writes only one. */
function viaOf([ours]: AppServers['ours']): AppStatus['via'] {
  if (ours === undefined) return 'none';
  return ours.launch !== undefined && isHttp(ours.launch) ? 'http' : 'stdio';
}

/** Returns a warning about changing the app's file; undefined if there is none. */
export function appWarning({ app, running }: FoundApp): string | undefined {
  if (!running || !app.overwrites) return undefined;
  return `${app.name} is running and may overwrite its file when it quits. Quit it first, or check afterwards.`;
}
