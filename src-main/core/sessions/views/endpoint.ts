/** Which part of Tooltray a client app addresses, and the view that shows it. */
import { AppError } from '../../base/errors.ts';
import { shortName } from '../../base/shown-text.ts';
import { isToolOn } from '../../config/app-config.ts';
import type { SessionCore } from '../session-settings.ts';
import type { SessionView } from '../session-view.ts';
import { findProfile, profileFor } from '../../profiles/profile-scope.ts';
import { MergedView } from './merged-view.ts';
import { ServerView } from './server-view.ts';

export interface Endpoint {
  readonly mode?: string | undefined;
  /** Servers and tools of this profile alone. */
  readonly profile?: string | undefined;
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
 * `/mcp`, `/mcp/mode/<mode>`, `/mcp/server/<name>`, `/mcp/app/<client app>`, `/mcp/p/<profile>`, and MCPProxy's `/mcp/call`, `/mcp/all`, `/mcp/code`;
 * undefined for any other path.
 */
export function endpointOf(pathname: string): Endpoint | undefined {
  const [root, kind, ...rest] = pathname.split('/').slice(1);
  if (root !== 'mcp') return undefined;
  if (kind === undefined || (kind === '' && rest.length === 0)) return {};
  const mode = modeAddresses.get(kind);
  if (mode !== undefined && rest.length === 0) return { mode, ...(kind === 'code' && { lists: ['code_execution'] }) };
  const key = kind === 'p' ? 'profile' : kind;
  if (
    !(key === 'mode' || key === 'server' || key === 'app' || key === 'profile') ||
    rest.length !== 1 ||
    rest[0] === ''
  )
    return undefined;
  try {
    return { [key]: decodeURIComponent(rest[0] as string) };
  } catch {
    return undefined;
  }
}

/** Throws AppError mode_unknown, server_not_found, or not_found for a profile. */
export function viewFor(endpoint: Endpoint, whole: SessionCore): SessionView {
  const { app, profile } = endpoint;
  const config = whole.config();
  if (profile !== undefined && findProfile(config, profile) === undefined) throw noProfile(profile);
  const held = profileFor(config, app, profile);
  const core = held === undefined ? whole : whole.inProfile(held);
  if (endpoint.server === undefined) return new MergedView(endpoint, core);
  const { catalog, servers, steps, settleMs, flow } = core;
  const server = servers.get(endpoint.server).config.name;
  const isOn = (name: string, tool: string): boolean => isToolOn(core.config(), name, tool);
  return new ServerView({ server, servers, catalog, steps, isOn, settleMs, flow, hasTool: core.hasTool });
}

/** It names no other: whoever asks may be meant to know one alone. */
function noProfile(name: string): AppError {
  return new AppError('not_found', `There is no profile named ${JSON.stringify(shortName(name))}.`, {
    fix: 'The person finds the profiles there are under "profiles" in the config file.',
  });
}

/** Why a path leads nowhere, with the ones that do. */
export function unknownEndpoint(pathname: string): AppError {
  return new AppError('not_found', `There is nothing at ${pathname}.`, {
    fix: 'Use /mcp, /mcp/mode/<mode>, /mcp/server/<server>, /mcp/app/<client app> or /mcp/p/<profile>.',
  });
}
