/** Dependencies of the RPC handlers. */
import type { CoreGroups } from '../core/core-groups.ts';
import { candidateHint } from '../core/admin/self-healing.ts';
import type { OfferTests } from '../core/admin/offer-tests.ts';
import { AppError } from '../core/base/errors.ts';
import { Masker, maskValues, opaqueSecrets, secretValues } from '../core/base/mask.ts';
import { commandLine } from '../core/base/text-format.ts';
import { markInvisible } from '../core/base/visible-text.ts';
import type { ManualRuns } from '../core/calls/manual-runs.ts';
import { displayNameOf } from '../core/client-apps/app-traits.ts';
import type { AccessRow, AppRow } from '../core/client-apps/app-rows.ts';
import type { RestoredFiles } from '../core/client-apps/install.ts';
import type { HealCandidate } from '../core/client-apps/heal-candidates.ts';
import type { ConfigProblem } from '../core/config/app-config.ts';
import type { ServerConfig } from '../core/config/server-config.ts';
import type { ManagedServer } from '../core/servers/managed-server.ts';
import type { Principal } from '../core/security/principal.ts';
import type { ServerHealth } from '../core/servers/server-state.ts';
import { describeScopes, splitScope } from '../core/servers/oauth/describe-scopes.ts';
import type { Session } from '../core/sessions/session.ts';
import type { ViewFrames } from './view-frames.ts';
import type { CoreState, RpcMethod, RpcMethods, ServerStatus, SessionStatus, SettingsFacts } from './contract.ts';

/** Dependencies of the handlers; each handler uses the groups it needs. */
export interface RpcDeps extends CoreGroups {
  readonly addresses: () => ListenAddresses;
  /** Returns an unsubscribe function; absent if the listeners never change. */
  readonly onEndpointsChange?: (listener: () => void) => () => void;
  readonly stop: () => void;
  /** The desktop app around the core; undefined if there is none. */
  readonly desktop: DesktopService | undefined;
  /** Client apps of this machine. */
  readonly apps: AppsService;
  /** Tests of importable servers; absent if client apps are not detected. */
  readonly offerTests?: OfferTests | undefined;
  /** Manual runs of tools; absent without a dashboard. */
  readonly runs?: ManualRuns;
  /** Frames for tool views; absent without a dashboard. */
  readonly views?: ViewFrames;
  /** Owner of the spills; absent: the single user. */
  readonly reader?: Principal;
}

/** Settings that only the desktop app can provide to the dashboard. */
export type DesktopSettings = Pick<SettingsFacts, 'theme' | 'startAtLogin' | 'notifications' | 'updates'>;

export interface DesktopService {
  settings(): DesktopSettings;
  change(settings: Partial<DesktopSettings>): Promise<void>;
  /** Called when a setting changes; returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Before an uninstall: removes login item, link scheme, and vault, and quits. */
  leaveSystem(): void;
  /** Reveals a file or folder in the system's file manager. */
  reveal(path: string): void;
}

// Requests about this computer's client apps, as used by the dashboard's setup.

type Ask<M extends keyof RpcMethods> = (input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;

export interface AppsService {
  readonly previewInstall: Ask<'previewInstall'>;
  readonly installApp: Ask<'installApp'>;
  readonly previewUninstall: Ask<'previewUninstall'>;
  readonly uninstallApp: Ask<'uninstallApp'>;
  readonly undoInstall: Ask<'undoInstall'>;
  /** Restores the files only. */
  disconnectAll(): Promise<RestoredFiles>;
  readonly manualEntry: Ask<'manualEntry'>;
  readonly importableServers: Ask<'importableServers'>;
  readonly planSetup: Ask<'planSetup'>;
  readonly applySetup: Ask<'applySetup'>;
  readonly importServers: Ask<'importServers'>;
  readonly rescan: Ask<'rescan'>;
  readonly setAccess: Ask<'setAccess'>;
  /** The apps as last detected. */
  apps(): Promise<readonly AppRow[]>;
  access(): Promise<readonly AccessRow[]>;
  /** Called when apps or their servers change; returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

// Used where client apps are not detected: a core inside a shim, tests.

const refuse = (): Promise<never> =>
  Promise.reject(new AppError('unsupported', 'This Tooltray does not manage client apps.'));

export const noApps: AppsService = {
  previewInstall: refuse,
  installApp: refuse,
  previewUninstall: refuse,
  uninstallApp: refuse,
  undoInstall: refuse,
  disconnectAll: refuse,
  manualEntry: refuse,
  importableServers: refuse,
  planSetup: refuse,
  applySetup: refuse,
  importServers: refuse,
  rescan: refuse,
  setAccess: refuse,
  apps: () => Promise.resolve([]),
  access: () => Promise.resolve([]),
  onChange: () => () => undefined,
};

// Health as shown to users, computed on request.

type Health = Pick<ServerHealth, 'level' | 'summary' | 'detail'> & {
  readonly action: ServerStatus['action'] | undefined;
};

export interface ListenAddresses {
  readonly socket: string;
  readonly http: string;
  /** Why HTTP does not listen where the config says, and how to fix it; empty if it does. */
  readonly httpProblem: string;
}

export function coreState(
  { context, servers, clients }: Pick<CoreGroups, 'context' | 'servers' | 'clients'>,
  addresses: ListenAddresses,
): CoreState {
  const { config, mode, paths, version } = context;
  return {
    version,
    home: config.path,
    socket: addresses.socket,
    http: addresses.http,
    httpProblem: addresses.httpProblem,
    extensionProblem: clients.extensions.problem ?? '',
    storeProblems: context.health.problems,
    mode: mode ?? config.current.mode,
    servers: serverStatuses({ servers }),
    sessions: sessionStatuses({ clients }),
    logDir: paths.logDir,
    configProblems: config.problems.filter(({ severity }) => severity === 'error').map(describeProblem),
    startedAt: context.startedAt,
    paused: servers.manager.paused,
  };
}

/** Describes a problem in the config file and its fix. The path is not masked, although it may end in API_TOKEN. */
export function describeProblem({ line, path, reason, suggestion = '' }: ConfigProblem): string {
  const place = path === '' ? '' : `, ${path}`;
  // Tooltray's own sentence, where names of secrets need no masking.
  return `The config file, line ${line}${place}: ${maskValues(`${reason} ${suggestion}`.trimEnd())}`;
}

export function serverStatuses({ servers }: Pick<CoreGroups, 'servers'>): readonly ServerStatus[] {
  const offers = new Map(servers.healing.candidates.map((offer) => [offer.server, offer]));
  return servers.manager.all.map((server) => {
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
      ...signedIn(server),
    };
  });
}

function signedIn({ oauth }: ManagedServer): Pick<ServerStatus, 'signedIn'> {
  if (oauth?.info.isSignedIn !== true) return {};
  const { issuer = oauth.serverUrl, account = '', scope } = oauth.info;
  const rights = describeScopes(splitScope(scope)).map(({ text }) => text);
  return { signedIn: { at: markInvisible(URL.parse(issuer)?.host ?? issuer), account, rights } };
}

/** If a candidate launch is known, testing it is the only action. */
function withOffer(health: ServerHealth, offer: HealCandidate | undefined): Health {
  if (offer === undefined) return health;
  const { level, summary, detail, reason } = health;
  return {
    level: level === 'ok' ? 'attention' : level,
    summary,
    detail: `${detail} ${candidateHint(offer)}`.trimStart(),
    ...(reason !== undefined && { reason }),
    action: { kind: 'heal', label: 'Decide' },
  };
}

export function sessionStatuses({ clients }: Pick<CoreGroups, 'clients'>): readonly SessionStatus[] {
  return clients.sessions.all.filter(({ isHere }) => isHere).map(sessionStatus);
}

export function sessionStatus({ id, app, protocol, view, hasStaleList, calls }: Session): SessionStatus {
  const { mode, reason } = view;
  return {
    id,
    app,
    appName: displayNameOf(app),
    protocol: protocol ?? '',
    mode,
    ...(reason !== undefined && { modeReason: reason }),
    staleList: hasStaleList,
    note: hasStaleList ? `${displayNameOf(app)} has an outdated tool list. Restart the app.` : '',
    calls,
  };
}

/** Returns a server's command line or address for users, secrets masked. */
export function endpointOf(server: ServerConfig): string {
  if (server.kind === 'builtin') return server.builtin;
  const named = secretValues(server.kind === 'stdio' ? server.env : server.headers);
  const masker = new Masker([...named, ...opaqueSecrets(server)]);
  if (server.kind !== 'stdio') return masker.maskText(server.url);
  const words = masker.maskObject([server.command, ...server.args]) as string[];
  return commandLine(words);
}

/** Handler of one request of the contract. */
export type Handler<M extends RpcMethod> = (
  input: RpcMethods[M]['input'],
  deps: RpcDeps,
  signal: AbortSignal,
) => Promise<RpcMethods[M]['output']>;

export type AllHandlers = { readonly [M in RpcMethod]: Handler<M> };
/** Handlers of one file; `answer-rpc.ts` merges them and does not compile if one is missing. */
export type Handlers = Partial<AllHandlers>;
