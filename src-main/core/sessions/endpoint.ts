/** Which part of Tooltray a client app addresses, and the view that shows it. */
import type { ServerAdmin } from '../admin/server-admin.ts';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { AppConfig } from '../config/app-config.ts';
import type { CallSteps } from '../calls/call-tool.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import { followMode } from '../modes/choose-mode.ts';
import { helperTools } from '../modes/index.ts';
import type { ResultFiles } from '../results/result-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { MergedView } from './merged-view.ts';
import { ServerView } from './server-view.ts';
import type { SessionView } from './session-view.ts';

export interface Endpoint {
  readonly mode?: string | undefined;
  readonly server?: string | undefined;
  /** The client app, where the address or `--app` names it. */
  readonly app?: string | undefined;
}

/** `/mcp`, `/mcp/mode/<mode>`, `/mcp/server/<name>`, `/mcp/app/<client app>`; undefined for any other path. */
export function endpointOf(pathname: string): Endpoint | undefined {
  const [root, kind, ...rest] = pathname.split('/').slice(1);
  if (root !== 'mcp') return undefined;
  if (kind === undefined || (kind === '' && rest.length === 0)) return {};
  if (!(kind === 'mode' || kind === 'server' || kind === 'app') || rest.length !== 1 || rest[0] === '')
    return undefined;
  try {
    return { [kind]: decodeURIComponent(rest[0] as string) };
  } catch {
    return undefined;
  }
}

export interface ViewDeps {
  readonly catalog: LiveCatalog;
  readonly servers: ServerManager;
  readonly steps: CallSteps;
  readonly admin: ServerAdmin;
  readonly sandbox: Sandbox;
  readonly descriptions: DescriptionStore;
  readonly resultFiles: ResultFiles;
  readonly serverInfo: JsonObject;
  readonly config: () => AppConfig;
  /** A mode given on the command line of the core; overrides the config's. */
  readonly mode?: string | undefined;
  readonly settleMs: number;
}

/** Throws AppError mode_unknown or server_not_found. */
export function viewFor(endpoint: Endpoint, deps: ViewDeps): SessionView {
  const { catalog, servers, steps, admin, sandbox, descriptions, resultFiles, settleMs, serverInfo } = deps;
  if (endpoint.server !== undefined) {
    const server = servers.get(endpoint.server).config.name;
    return new ServerView({ server, servers, catalog, steps, settleMs });
  }
  return new MergedView({
    chooseMode: followMode(() => modeFor(endpoint, deps), endpoint.app),
    catalog,
    servers,
    helpers: helperTools,
    steps,
    admin,
    sandbox,
    descriptions,
    resultFiles,
    serverInfo,
    settleMs,
    raw: () => deps.config().raw,
    extraTools: () => pinnedTools(deps.config()),
    toolFilter: () => deps.config().dispatch,
  });
}

/** Helper tools that the person wants listed besides the mode's own. */
function pinnedTools({ extraTools, exposeAdmin }: AppConfig): readonly string[] {
  if (!exposeAdmin) return extraTools;
  return [...extraTools, ...[...helperTools].flatMap(([name, helper]) => (helper.admin === true ? name : []))];
}

function modeFor({ mode, app }: Endpoint, deps: ViewDeps): string {
  const config = deps.config();
  const forApp = app !== undefined && Object.hasOwn(config.appModes, app) ? config.appModes[app] : undefined;
  return mode ?? forApp ?? deps.mode ?? config.mode;
}

/** Why a path leads nowhere, with the ones that do. */
export function unknownEndpoint(pathname: string): AppError {
  return new AppError('not_found', `There is nothing at ${pathname}.`, {
    fix: 'Use /mcp, /mcp/mode/<mode>, /mcp/server/<server> or /mcp/app/<client app>.',
  });
}
