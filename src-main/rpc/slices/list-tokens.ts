/** What servers' lists cost an app, by estimate: four characters a token. */
import type { Aggregator } from '../../core/aggregator.ts';
import { listCost } from '../../core/modes/mode-costs.ts';
import { shownTool } from '../../core/modes/shown-tool.ts';
import type { Listing } from '../../core/servers/listing.ts';
import { modeInForce, viewOf } from './modes-overview.ts';

/** Of a server's own list, whole. */
export function listTokens({ tools }: Listing): number {
  return Math.ceil(JSON.stringify(tools).length / 4);
}

/** By server: what of the list of the mode in force it is the reason for. */
export function listedTokens(core: Aggregator): ReadonlyMap<string, number> {
  const view = viewOf(core);
  const mode = modeInForce(core, view);
  const { servers, lookup } = view.catalog;
  if (mode.name !== 'proxy') {
    const share = Math.round(listCost(mode, view) / Math.max(1, servers.length));
    return new Map(servers.map((name) => [name, share]));
  }
  return new Map(
    servers.map((name) => {
      const tools = lookup.tools.of(name).map((tool) => shownTool(tool, view.raw));
      return [name, Math.ceil(JSON.stringify(tools).length / 4)];
    }),
  );
}
