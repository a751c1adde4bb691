/** Which box a server that runs without one could have, so that it goes on working: by what is known of its package, else by what its entry names. */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import type { Isolation, StdioServerConfig } from '../../../config/app-config.ts';
import { isInside } from '../../../security/file-paths.ts';
import { npxPackage, programName } from '../../../trust/pins/launch.ts';
import { workPlaces } from './agreed-places.ts';

/** As an entry has it. */
export interface ProposedBox {
  readonly mode: Isolation['kind'];
  readonly network: boolean;
  readonly write?: readonly string[];
}

interface Preset {
  readonly network: boolean;
  /** `named`: what its arguments and variables name; `none`: its own home alone. */
  readonly write: 'named' | 'none';
}

/** Packages that were tried in a sandbox (docs/isolation.md). undefined: needs more than a box that could be offered. */
const presets: ReadonlyMap<string, Preset | undefined> = new Map([
  ['@modelcontextprotocol/server-everything', { network: false, write: 'none' }],
  ['@modelcontextprotocol/server-sequential-thinking', { network: false, write: 'none' }],
  ['@modelcontextprotocol/server-memory', { network: false, write: 'named' }],
  ['@modelcontextprotocol/server-filesystem', { network: false, write: 'named' }],
  ['@cyanheads/git-mcp-server', { network: false, write: 'named' }],
  // A browser outside of the box, and an argument more.
  ['@playwright/mcp', undefined],
  ['@upstash/context7-mcp', { network: true, write: 'none' }],
  ['@notionhq/notion-mcp-server', { network: true, write: 'none' }],
  ['mongodb-mcp-server', { network: true, write: 'none' }],
  ['firecrawl-mcp', { network: true, write: 'none' }],
]);

/** They start something outside of any box, which a box would only keep from them. */
const hasOwnBox = /^(?:docker|podman|nerdctl|bwrap|firejail|flatpak|snap|ssh|wsl|sudo|systemd-run)$/;

/** undefined: none can be offered that it would surely start in, or that would keep anything from it. */
export async function proposedBox(
  server: StdioServerConfig,
  home: string = homedir(),
): Promise<ProposedBox | undefined> {
  const { command, args, env, cwd } = server;
  if (hasOwnBox.test(programName(command))) return undefined;
  const wanted = npxPackage(command, args)?.name;
  const known = wanted !== undefined && presets.has(wanted);
  const preset = known ? presets.get(wanted) : ({ network: true, write: 'named' } as const);
  if (preset === undefined || keepsMemory(wanted, env)) return undefined;
  // A box that shows the whole home is none.
  if (cwd !== undefined && isInside(cwd, home)) return undefined;
  const named = preset.write === 'named' ? await workPlaces(server) : [];
  const write = [...new Set([...(cwd === undefined ? [] : [cwd]), ...named])];
  return { mode: 'auto', network: preset.network, write };
}

/** What it has remembered lies in its package, where no box would find it. */
function keepsMemory(name: string | undefined, env: StdioServerConfig['env']): boolean {
  return name !== undefined && basename(name) === 'server-memory' && env['MEMORY_FILE_PATH'] === undefined;
}
