/** Which part of Tooltray a client app addresses, and the view that shows it. */
import type { ActivityLog } from '../activity/activity-log.ts';
import type { ServerAdmin } from '../admin/server-admin.ts';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { AppConfig } from '../config/app-config.ts';
import { isToolOn } from '../config/is-tool-on.ts';
import type { AnswerRoom } from '../calls/answer-room.ts';
import type { CallSteps } from '../calls/call-tool.ts';
import type { ResultShaper } from '../calls/shape-result.ts';
import { maySpill } from '../calls/spill-limit.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import { followMode } from '../modes/choose-mode.ts';
import { factsOfApp } from '../modes/client-app-facts.ts';
import type { HelperTool } from '../modes/mode.ts';
import type { ModeCosts } from '../modes/mode-costs.ts';
import { levelFor } from '../modes/shown-tool.ts';
import type { ResultFiles } from '../results/result-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { MergedView } from './merged-view.ts';
import { ServerView } from './server-view.ts';
import type { SessionView } from './session-view.ts';

export interface Endpoint {
  readonly mode?: string | undefined;
  readonly server?: string | undefined;
  /** Helper tools that are listed there besides: MCPProxy's `/mcp/code` has its own one for code. */
  readonly lists?: readonly string[];
  /** The client app, where the address or `--app` names it. */
  readonly app?: string | undefined;
}

/** MCPProxy's addresses of modes. */
const modeAddresses: ReadonlyMap<string, string> = new Map([
  ['call', 'retrieve'],
  ['all', 'proxy'],
  ['code', 'code'],
]);

/**
 * `/mcp`, `/mcp/mode/<mode>`, `/mcp/server/<name>`, `/mcp/app/<client app>`, and MCPProxy's `/mcp/call`, `/mcp/all`, `/mcp/code`;
 * undefined for any other path.
 */
export function endpointOf(pathname: string): Endpoint | undefined {
  const [root, kind, ...rest] = pathname.split('/').slice(1);
  if (root !== 'mcp') return undefined;
  if (kind === undefined || (kind === '' && rest.length === 0)) return {};
  const mode = modeAddresses.get(kind);
  if (mode !== undefined && rest.length === 0) return { mode, ...(kind === 'code' && { lists: ['code_execution'] }) };
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
  readonly shaper: Pick<ResultShaper, 'shapeOwn' | 'putAside'>;
  readonly admin: ServerAdmin;
  readonly sandbox: Sandbox;
  readonly descriptions: DescriptionStore;
  readonly resultFiles: ResultFiles;
  readonly activity: Pick<ActivityLog, 'stats'>;
  readonly serverInfo: JsonObject;
  /** Helper tools by the names they have here. */
  readonly helpers: ReadonlyMap<string, HelperTool>;
  readonly config: () => AppConfig;
  /** A mode given on the command line of the core; overrides the config's. */
  readonly mode?: string | undefined;
  /** What modes cost, worked out for all sessions together. */
  readonly modeCosts: ModeCosts;
  readonly settleMs: number;
  /** For answers of slow calls, of all sessions together. */
  readonly answerRoom: AnswerRoom;
}

/** Throws AppError mode_unknown or server_not_found. */
export function viewFor(endpoint: Endpoint, deps: ViewDeps): SessionView {
  const { catalog, servers, steps, admin, sandbox, descriptions, resultFiles, settleMs, serverInfo } = deps;
  if (endpoint.server !== undefined) {
    const server = servers.get(endpoint.server).config.name;
    const isOn = (name: string, tool: string): boolean => isToolOn(deps.config(), name, tool);
    return new ServerView({ server, servers, catalog, steps, isOn, settleMs });
  }
  return new MergedView({
    chooseMode: followMode(() => modeFor(endpoint, deps), endpoint.app, deps.modeCosts),
    catalog,
    servers,
    helpers: deps.helpers,
    steps,
    admin,
    sandbox,
    descriptions,
    resultFiles,
    toolActivity: () => deps.activity.stats().tools,
    serverInfo,
    settleMs,
    level: () => levelFor(deps.config(), endpoint.app),
    extraTools: () => [...pinnedTools(deps), ...(endpoint.lists ?? [])],
    toolFilter: () => deps.config().dispatch,
    retrieve: () => deps.config().retrieve,
    code: () => deps.config().code,
    spills: () => maySpill(deps.config().results),
    handles: () => callLimitMs(deps.config(), endpoint.app) !== undefined,
    callLimitMs: (app) => callLimitMs(deps.config(), app),
    followsLists: factsOfApp(endpoint.app).followsLists,
    answerRoom: deps.answerRoom,
    shapeOwn: (result, tool, context) => deps.shaper.shapeOwn(result, tool, context),
    putAside: (result, from, context) => deps.shaper.putAside(result, from, context),
  });
}

/** Helper tools that the person wants listed besides the mode's own. */
function pinnedTools({ config, helpers }: ViewDeps): readonly string[] {
  const { extraTools, exposeAdmin } = config();
  if (!exposeAdmin) return extraTools;
  return [...extraTools, ...[...helpers].flatMap(([name, helper]) => (helper.admin === true ? name : []))];
}

function modeFor({ mode, app }: Endpoint, deps: ViewDeps): string {
  const config = deps.config();
  const forApp = app !== undefined && Object.hasOwn(config.appModes, app) ? config.appModes[app] : undefined;
  return mode ?? forApp ?? deps.mode ?? config.mode;
}

/** How long a client app may be left without an answer; undefined: as long as it takes. */
function callLimitMs({ slowCallSeconds }: AppConfig, app: string | undefined): number | undefined {
  const seconds = slowCallSeconds ?? factsOfApp(app).callLimitSeconds;
  return seconds === 0 ? undefined : seconds * 1000;
}

/** Why a path leads nowhere, with the ones that do. */
export function unknownEndpoint(pathname: string): AppError {
  return new AppError('not_found', `There is nothing at ${pathname}.`, {
    fix: 'Use /mcp, /mcp/mode/<mode>, /mcp/server/<server> or /mcp/app/<client app>.',
  });
}
