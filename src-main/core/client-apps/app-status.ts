/** How it stands with each client app: what a list of apps shows. */
import { connectedBy, readAppServers } from './app-servers.ts';
import type { FoundApp } from './find-apps.ts';
import { installLink } from './install-links.ts';
import type { Launch } from './launch.ts';

export interface AppStatus {
  readonly id: string;
  readonly name: string;
  readonly installed: boolean;
  readonly running: boolean;
  /** `stale`: through an entry that no longer fits. */
  readonly connected: 'no' | 'yes' | 'stale';
  readonly configFile: string;
  /** Its own servers, without ours. */
  readonly servers: number;
  /** Why it cannot be changed; empty where it can. */
  readonly problem: string;
  readonly link: string | undefined;
}

/** `wanted`: how this app may reach us now; the first is what an install would write. */
export async function appStatus(found: FoundApp, wanted: readonly [Launch, ...Launch[]]): Promise<AppStatus> {
  const { app, file, installed, running } = found;
  const { servers, ours, problem } = await readAppServers(found);
  return {
    id: app.id,
    name: app.name,
    installed,
    running,
    connected: connectedBy(ours, wanted),
    configFile: file,
    servers: servers.length,
    problem,
    link: installLink(app, wanted[0]),
  };
}

/** What to know before the app's file is changed; undefined: nothing. */
export function warningFor({ app, running }: FoundApp): string | undefined {
  if (!running || !app.overwrites) return undefined;
  return `${app.name} is running and may write its file back when it quits. Quit it first, or check afterwards.`;
}
