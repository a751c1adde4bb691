/** A server as upstream_servers shows it. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Hold } from '../../config/holds.ts';
import type { HealthLevel, ServerHealth } from '../../servers/server-health.ts';

const states: Readonly<Record<ServerFacts['state'], string>> = {
  disabled: 'Disconnected',
  disconnected: 'Disconnected',
  connecting: 'Connecting',
  'pending-sign-in': 'Pending Auth',
  authenticating: 'Authenticating',
  discovering: 'Discovering',
  ready: 'Ready',
  error: 'Error',
};

const levels: Readonly<Record<HealthLevel, string>> = {
  ok: 'healthy',
  off: 'healthy',
  busy: 'healthy',
  attention: 'degraded',
  error: 'unhealthy',
};

const actions: Readonly<Record<NonNullable<ServerHealth['action']>['kind'], string>> = {
  retry: 'restart',
  'sign-in': 'login',
  enable: 'enable',
  'edit-config': 'configure',
  'view-log': 'view_logs',
};

export function connectionStatus({ state, error, failures }: ServerFacts): JsonObject {
  return {
    state: states[state],
    ...(error !== undefined && { last_error: error }),
    ...(failures > 0 && { retry_count: failures }),
  };
}

/** `shown`: tools of it that client apps are shown. A server that fails or waits for a sign-in can be called for none. */
function toolCounts({ enabled, state, tools }: ServerFacts, shown: number): JsonObject {
  if (!enabled) return { callable: 0, server_disabled: tools };
  const isOut = state === 'error' || state === 'pending-sign-in' || state === 'authenticating';
  return { callable: isOut ? 0 : shown, server_disabled: 0, disabled_by_config: Math.max(0, tools - shown) };
}

/** What keeps it off, and what the person can do. */
const holds: Readonly<Record<Hold, string>> = {
  quarantine: 'in quarantine: the person can lift it',
  isolation: 'asks for a container or sandbox, which there is not: the person can let it start without',
};

/** `etag` may be given back with an edit, which is then made only if nothing was changed in between. */
export function serverReport(server: ServerFacts, etag: string, shown: number): JsonObject {
  const { transport, lazy: _, enabled, ...config } = server.config;
  const { level, summary, detail, action } = server.health;
  return {
    name: server.name,
    protocol: transport,
    ...config,
    enabled,
    quarantined: server.held === 'quarantine',
    ...(server.held === 'isolation' && { isolation: { enabled: true } }),
    connection_status: connectionStatus(server),
    tools: toolCounts(server, shown),
    ...(server.held !== undefined && { security_status: `${holds[server.held]} (tooltray enable ${server.name})` }),
    health: {
      level: levels[level],
      admin_state: server.enabled ? 'enabled' : server.held === 'quarantine' ? 'quarantined' : 'disabled',
      summary,
      detail,
      action: action === undefined ? '' : actions[action.kind],
    },
    etag,
  };
}
