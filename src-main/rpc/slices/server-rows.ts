/** Servers as rows of a table, ill ones first. */
import type { ServerCalls } from '../../core/activity/call-queries.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import { isToolOn } from '../../core/config/is-tool-on.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import type { HealthLevel, ServerRow } from '../contract.ts';
import { coreState, type Doors } from '../core-state.ts';
import type { DayOfCalls } from './day-of-calls.ts';
import { listedTokens, listTokens } from './list-tokens.ts';

const urgency: readonly HealthLevel[] = ['error', 'attention', 'busy', 'ok', 'off'];

export function serverRows(core: Aggregator, doors: Doors, day: DayOfCalls): readonly ServerRow[] {
  const calls = new Map(day.servers.map((one) => [one.server, one]));
  const shown = listedTokens(core);
  const rows = coreState(core, doors).servers.map((status): ServerRow => {
    const server = core.servers.get(status.name);
    return {
      ...status,
      ...facts(server, core),
      ...activityOf(calls.get(status.name)),
      listedTokens: shown.get(status.name) ?? 0,
    };
  });
  return rows.toSorted((a, b) => urgency.indexOf(a.level) - urgency.indexOf(b.level) || a.name.localeCompare(b.name));
}

function facts(
  server: ManagedServer,
  core: Aggregator,
): Pick<ServerRow, 'enabled' | 'since' | 'toolsOff' | 'listTokens' | 'asOf'> {
  const { config, state, listing, listedAt } = server;
  const off = listing.tools.filter(({ name }) => !isToolOn(core.options.config.current, config.name, String(name)));
  return {
    enabled: config.enabled,
    since: 'since' in state ? state.since : 0,
    toolsOff: off.length,
    listTokens: listTokens(listing),
    // What is running now is no memory of an earlier time.
    asOf: state.kind === 'ready' ? undefined : listedAt,
  };
}

function activityOf(calls: ServerCalls | undefined): Pick<ServerRow, 'calls24h' | 'failures24h' | 'medianMs'> {
  return { calls24h: calls?.calls ?? 0, failures24h: calls?.failures ?? 0, medianMs: calls?.medianMs };
}
