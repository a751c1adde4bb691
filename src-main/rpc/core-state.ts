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
    servers: serverStatuses(core),
    sessions: sessionStatuses(core),
    logDir: paths.logDir,
  };
}

export function serverStatuses(core: Aggregator): readonly ServerStatus[] {
  return core.servers.all.map((server) => {
    const { action, ...health } = server.health;
    const { name, kind } = server.config;
    return {
      name,
      state: server.state.kind,
      ...health,
      ...(action && { action }),
      tools: server.listing.tools.length,
      transport: kind,
      endpoint: endpointOf(server.config),
    };
  });
}

export function sessionStatuses(core: Aggregator): readonly SessionStatus[] {
  return core.sessions.all.map(sessionStatus);
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
