/** The state that people see, gathered from the core when somebody looks. */
import type { Aggregator } from '../core/aggregator.ts';
import { nameOfApp } from '../core/modes/client-app-facts.ts';
import type { Session } from '../core/sessions/session.ts';
import type { CoreState, ServerStatus, SessionStatus } from './contract.ts';
import { endpointOf } from './endpoint-of.ts';

export interface Doors {
  readonly socket: string;
  readonly http: string;
}

export function coreState(core: Aggregator, doors: Doors): CoreState {
  const { config, mode, paths, version } = core.options;
  return {
    version,
    home: config.path,
    socket: doors.socket,
    http: doors.http,
    mode: mode ?? config.current.mode,
    servers: core.servers.all.map((server): ServerStatus => {
      const { action, ...health } = server.health;
      const { name, kind } = server.config;
      const tools = server.listing.tools.length;
      return {
        name,
        state: server.state.kind,
        ...health,
        ...(action && { action }),
        tools,
        transport: kind,
        endpoint: endpointOf(server.config),
      };
    }),
    sessions: core.sessions.all.map(sessionStatus),
    logDir: paths.logDir,
  };
}

function sessionStatus({ id, app, era, view, staleList, calls }: Session): SessionStatus {
  const { mode, reason } = view;
  return {
    id,
    app,
    era: era ?? '',
    mode,
    ...(reason !== undefined && { reason }),
    staleList,
    note: staleList ? `${nameOfApp(app)} still shows the old tool list: restart it.` : '',
    calls,
  };
}
