/** The state that people see, gathered from the core when somebody looks. */
import type { Aggregator } from '../core/aggregator.ts';
import { offerText } from '../core/admin/healing.ts';
import type { HealOffer } from '../core/client-apps/heal-offers.ts';
import { maskText } from '../core/base/mask-secrets.ts';
import type { ConfigProblem } from '../core/config/app-config.ts';
import type { ServerHealth } from '../core/servers/server-health.ts';
import { nameOfApp } from '../core/modes/client-app-facts.ts';
import type { Session } from '../core/sessions/session.ts';
import type { CoreState, ServerStatus, SessionStatus } from './contract.ts';
import { endpointOf } from './endpoint-of.ts';

type Health = Pick<ServerHealth, 'level' | 'summary' | 'detail'> & {
  readonly action: ServerStatus['action'] | undefined;
};

export interface Doors {
  readonly socket: string;
  readonly http: string;
  /** Why HTTP is not where the config wants it, and what to do; empty where it is. */
  readonly httpProblem: string;
}

export function coreState(core: Aggregator, doors: Doors): CoreState {
  const { config, mode, paths, version } = core.options;
  return {
    version,
    home: config.path,
    socket: doors.socket,
    http: doors.http,
    httpProblem: doors.httpProblem,
    mode: mode ?? config.current.mode,
    servers: serverStatuses(core),
    sessions: sessionStatuses(core),
    logDir: paths.logDir,
    configProblems: config.problems.filter(({ severity }) => severity === 'error').map(problemSentence),
    startedAt: core.startedAt,
    paused: core.servers.paused,
  };
}

/** What is wrong at a place of the config file, and what to do. The place itself is no secret, although it may end in API_TOKEN. */
export function problemSentence({ line, path, reason, suggestion = '' }: ConfigProblem): string {
  const place = path === '' ? '' : `, ${path}`;
  return `The config file, line ${line}${place}: ${maskText(`${reason} ${suggestion}`.trimEnd())}`;
}

export function serverStatuses(core: Aggregator): readonly ServerStatus[] {
  const offers = new Map(core.healing.offers.map((offer) => [offer.server, offer]));
  return core.servers.all.map((server) => {
    const { action, ...health } = withOffer(server.health, offers.get(server.config.name));
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

/** Where a launch is known that may work, trying that is the one thing to do. */
function withOffer(health: ServerHealth, offer: HealOffer | undefined): Health {
  if (offer === undefined) return health;
  const { level, summary, detail } = health;
  return {
    level: level === 'ok' ? 'attention' : level,
    summary,
    detail: `${offerText(offer)} ${detail}`.trimEnd(),
    action: { kind: 'heal', label: 'Use it' },
  };
}

export function sessionStatuses(core: Aggregator): readonly SessionStatus[] {
  return core.sessions.all.filter(({ isHere }) => isHere).map(sessionStatus);
}

function sessionStatus({ id, app, era, view, staleList, calls }: Session): SessionStatus {
  const { mode, reason } = view;
  return {
    id,
    app,
    appName: nameOfApp(app),
    era: era ?? '',
    mode,
    ...(reason !== undefined && { reason }),
    staleList,
    note: staleList ? `${nameOfApp(app)} still shows the old tool list: restart it.` : '',
    calls,
  };
}
