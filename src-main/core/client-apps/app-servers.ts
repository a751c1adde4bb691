/** The servers that an app's config file defines, ours set apart. */
import { errorText } from '../base/errors.ts';
import type { AppPlace } from './change-app-file.ts';
import { isOurs, isSwitchedOff, launches, launchOf, type ServerLaunch } from './entry-launch.ts';
import { entriesAt, formatOf } from './formats/config-format.ts';
import type { AppEntry, HttpLaunch, Launch } from './launch.ts';
import { readAppFile } from './update-app-file.ts';

export interface AppServer {
  readonly name: string;
  /** The keys that lead to the entry, its name included. */
  readonly path: readonly string[];
  /** As the app's file has it, secrets and all. */
  readonly entry: AppEntry;
  /** Undefined: it launches nothing that we could. */
  readonly launch: ServerLaunch | HttpLaunch | undefined;
  readonly enabled: boolean;
}

export interface AppServers {
  /** Its own. */
  readonly servers: readonly AppServer[];
  /** Those that lead to us. */
  readonly ours: readonly AppServer[];
  /** Why the file cannot be read; empty when it can. */
  readonly problem: string;
}

/** Never throws: a broken file is a fact about the app. */
export async function readAppServers(place: AppPlace): Promise<AppServers> {
  try {
    return appServersIn((await readAppFile(place.file)) ?? '', place);
  } catch (error) {
    return { servers: [], ours: [], problem: errorText(error) };
  }
}

/** Throws AppError `config_invalid`. */
export function appServersIn(text: string, { app }: Pick<AppPlace, 'app'>): AppServers {
  const root = formatOf(app).read(text);
  const all = [app.container, ...(app.alsoReads ?? [])].flatMap((container) =>
    entriesAt(root, container).map(([path, entry]): AppServer => {
      const name = path.at(-1) ?? '';
      return { name, path, entry, launch: launchOf(entry), enabled: !isSwitchedOff(entry) };
    }),
  );
  const [ours, servers] = [all.filter(isOur), all.filter((server) => !isOur(server))];
  return { servers, ours, problem: '' };
}

/** `stale`: our entry is there, but launches something else than it would now. */
export function connectedBy(ours: readonly AppServer[], wanted: readonly Launch[]): 'no' | 'yes' | 'stale' {
  if (ours.length === 0) return 'no';
  return ours.some(({ entry }) => wanted.some((launch) => launches(entry, launch))) ? 'yes' : 'stale';
}

function isOur({ name, entry }: AppServer): boolean {
  return isOurs(name, entry);
}
