/** Magg's tools besides `proxy`: callable in every mode, listed in none. */
import type { HelperTool } from '../mode.ts';
import { addServer } from './add-server.ts';
import { analyzeServers } from './analyze-servers.ts';
import { checkServers } from './check-servers.ts';
import { listServers, showStatus } from './list-servers.ts';
import { listTools } from './list-tools.ts';
import { loadKit, unloadKit } from './load-kit.ts';
import { reloadConfig } from './reload-config.ts';
import { searchServers } from './search-servers.ts';
import { listKits, showKit } from './show-kits.ts';
import { smartConfigure } from './smart-configure.ts';
import { disableServer, enableServer, removeServer } from './switch-server.ts';

export const maggHelpers: readonly HelperTool[] = [
  ...[listServers, showStatus, checkServers, addServer, removeServer, enableServer, disableServer, reloadConfig],
  ...[listTools, analyzeServers, smartConfigure, searchServers, listKits, showKit, loadKit, unloadKit],
];
