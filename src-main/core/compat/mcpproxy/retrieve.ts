/** Mode `retrieve`: MCPProxy's tools; the model searches, and says with the tool it calls through what the call is meant to do. */
import { languagesText } from '../../modes/languages.ts';
import type { HelperTool, Mode, ModeView } from '../../modes/mode.ts';
import { callVariant } from './call-variant.ts';
import { describeTool } from './describe-tool.ts';
import { quarantineSecurity } from './quarantine-security.ts';
import { readCache } from './read-cache.ts';
import { retrieveTools } from './retrieve-tools.ts';
import { listRegistries, searchServers } from './registry-tools.ts';
import { setProfile } from './set-profile.ts';
import { tailLog, upstreamServers } from './upstream-servers.ts';
import { namedServers } from '../../modes/show-tools.ts';

export const retrieveMode: Mode = {
  name: 'retrieve',
  line: 'Search, and one tool each to read, write and destroy',
  helpers: [
    retrieveTools,
    describeTool,
    callVariant('read'),
    callVariant('write'),
    callVariant('destructive'),
    readCache,
  ],
  narrowsBy: setProfile.definition.name,
  fixedList: true,
  listed: () => [],
  callLine: (name, args) => `call_tool_read ${JSON.stringify({ name, args })}`,
  readLine: (key, query) =>
    `${readCache.definition.name} ${JSON.stringify(query === undefined ? { key, offset: 0 } : { key, query })}`,
  instructions,
};

/** Callable in every mode, listed in none by itself. */
export const retrieveAdminTools: readonly HelperTool[] = [
  upstreamServers,
  tailLog,
  quarantineSecurity,
  searchServers,
  listRegistries,
];

function instructions({ catalog }: ModeView): string {
  return `Search with retrieve_tools before saying that something cannot be done; then call through call_with. Tools of: ${namedServers(catalog.servers)}.${languagesText(catalog)}`;
}
