/** Where a working launch of a server may be found: the five places that ToolMux knows, in its order, then every known app. */
import { type Machine, pathsOn } from './app-files.ts';
import type { KnownApp, PathsBySystem } from './known-app.ts';
import { knownApps } from './known-apps.ts';

export interface HealSource {
  /** A person's yes is given to a source, once. */
  readonly id: string;
  /** As people know it. */
  readonly title: string;
  /** `bundles`: a folder with a file per server; `servers`: one file that defines several. */
  readonly kind: 'bundles' | 'servers';
  /** Absolute. */
  readonly path: string;
  /** Whose config file it is. */
  readonly app?: KnownApp;
}

interface Place {
  readonly id: string;
  readonly title: string;
  readonly kind: HealSource['kind'];
  readonly paths: PathsBySystem;
  readonly app?: KnownApp;
}

// ToolMux itself looks below ~/.config only, wherever a machine's configs are.
const registryBundles = ['$XDG_CONFIG_HOME/smithy-mcp/bundles', '$HOME/.config/smithy-mcp/bundles'];
// ToolMux's README and its code disagree about two names, so both are looked at: mcp.json, ~/.claude.
const shared = ['$XDG_CONFIG_HOME', '$HOME/.config'].flatMap((at) => [`${at}/mcp/config.json`, `${at}/mcp/mcp.json`]);
const roaming = ['$APPDATA/mcp/config.json', '$APPDATA/mcp/mcp.json'];
const claudeFile = 'claude_desktop_config.json';

const places: readonly Place[] = [
  {
    id: 'mcp-registry',
    title: 'MCP registry bundles',
    kind: 'bundles',
    paths: perSystem(registryBundles, ['$APPDATA/smithy-mcp/bundles']),
  },
  { id: 'user-bundles', title: 'Your own bundles', kind: 'bundles', paths: ['$HOME/.aim/bundles'] },
  { id: 'shared-config', title: 'The shared MCP config', kind: 'servers', paths: perSystem(shared, roaming) },
  ...placesOfApp('claude-desktop'),
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    kind: 'servers',
    paths: [
      `$HOME/Library/Application Support/Claude/${claudeFile}`,
      `$HOME/.config/Claude/${claudeFile}`,
      `$HOME/.claude/${claudeFile}`,
    ],
  },
  ...placesOfApp('claude-desktop-store'),
  ...placesOfApp('cursor'),
  ...knownApps.flatMap(({ id }) => placesOfApp(id)),
];

/** Every place once, the best first. */
export function healSources(machine: Machine): readonly HealSource[] {
  const byPath = new Map<string, HealSource>();
  for (const { paths, ...place } of places) {
    for (const path of pathsOn(machine, paths)) if (!byPath.has(path)) byPath.set(path, { ...place, path });
  }
  return [...byPath.values()];
}

function placesOfApp(wanted: string): readonly Place[] {
  return knownApps
    .filter(({ id }) => id === wanted)
    .map((app) => ({ id: app.id, title: app.name, kind: 'servers', paths: app.files, app }));
}

/** Windows has its own place, besides the one that programs from elsewhere use there. */
function perSystem(paths: readonly string[], onWindows: readonly string[]): PathsBySystem {
  return { darwin: paths, linux: paths, win32: [...paths, ...onWindows] };
}
