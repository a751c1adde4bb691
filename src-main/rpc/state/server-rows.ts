/** Servers as table rows, unhealthy ones first. */
import type { ServerTotals } from '../../core/activity/activity-worker/call-totals.ts';
import type { CoreGroups } from '../../core/core-groups.ts';
import { isToolEnabled } from '../../core/config/tool-names.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import type { HealthLevel, ServerRow, ServerStatus } from '../contract.ts';
import { serverStatuses } from '../deps.ts';
import { findDuplicates } from './duplicate-servers.ts';
import type { DayOfCalls } from './savings-overview.ts';
import type { ListTokens } from './list-tokens.ts';

const urgency: readonly HealthLevel[] = ['error', 'attention', 'busy', 'ok', 'off'];

interface RowSources {
  readonly day: Pick<DayOfCalls, 'servers'>;
  readonly tokens: ListTokens;
}

export async function serverRows(
  { context, servers }: Pick<CoreGroups, 'context' | 'servers'>,
  { day, tokens }: RowSources,
): Promise<readonly ServerRow[]> {
  const calls = new Map((await day.servers()).map((one) => [one.server, one]));
  const shown = tokens.shown();
  const duplicates = findDuplicates(servers.manager.all.map(({ config }) => config));
  const rows = serverStatuses({ servers }).map((status): ServerRow => {
    const server = servers.manager.get(status.name);
    const same = duplicates.get(status.name);
    return {
      ...status,
      ...(same !== undefined && { duplicates: same }),
      ...facts(server, { context }, tokens),
      ...activityOf(calls.get(status.name)),
      listed: shown.get(status.name) ?? [],
    };
  });
  return rows.toSorted(unhealthyFirst);
}

export function unhealthyFirst(a: ServerStatus, b: ServerStatus): number {
  return urgency.indexOf(a.level) - urgency.indexOf(b.level) || a.name.localeCompare(b.name, 'en', { numeric: true });
}

function facts(
  server: ManagedServer,
  { context }: Pick<CoreGroups, 'context'>,
  tokens: ListTokens,
): Pick<ServerRow, 'enabled' | 'restarts' | 'since' | 'toolsOff' | 'listTokens' | 'asOf'> {
  const { config, state, listing, listedAt } = server;
  const off = listing.tools.filter(({ name }) => !isToolEnabled(context.config.current, config.name, String(name)));
  return {
    enabled: config.enabled,
    restarts: server.restarts,
    since: 'since' in state ? state.since : 0,
    toolsOff: off.length,
    listTokens: tokens.whole(listing),
    // The capabilities of a running server are live, not cached.
    asOf: state.kind === 'ready' ? undefined : listedAt,
  };
}

function activityOf(calls: ServerTotals | undefined): Pick<ServerRow, 'calls24h' | 'failures24h' | 'medianMs'> {
  return { calls24h: calls?.calls ?? 0, failures24h: calls?.failures ?? 0, medianMs: calls?.medianMs };
}
