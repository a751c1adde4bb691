/** Dashboard requests about tool views, and the requests that views send through the dashboard. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { loadAppView } from '../../core/mcp-apps/app-view.ts';
import { createViewPolicy } from '../../core/mcp-apps/view-policy.ts';
import { AppError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import { confirmationNeeded, userCapabilities, userSession } from '../../core/calls/manual-runs.ts';
import { userApp } from '../../core/security/principal.ts';
import type { CallStages } from '../../core/calls/call-tool.ts';
import type { CatalogEntry } from '../../core/catalog/catalog.ts';
import { isVisibleTo, viewUriOf } from '../../core/servers/ui-metadata.ts';
import { extensionSetOf } from '../../core/servers/extension-set.ts';
import type { ManagedServer } from '../../core/servers/managed-server.ts';
import type { CallContext } from '../../core/servers/in-flight-calls.ts';
import type { Handlers } from '../deps.ts';
import { resultForView, requireRuns } from './runs.ts';

const settleMs = 15_000;

export const appViewHandlers = {
  openView: async ({ server, tool, network, permissions }, { context, servers, calls, clients, views }, signal) => {
    const { definition, home } = await toolOf(server, tool, { servers, calls, clients });
    const uri = viewUriOf(definition);
    if (uri === undefined)
      throw new AppError('not_found', `${truncateName(tool)} of ${server} has no view.`, {
        fix: 'The tool may have had one at the time of the call.',
      });
    if (views === undefined) throw new AppError('unsupported', 'App views are available only in the dashboard.');
    const { html, wishes } = await loadAppView(home, uri, contextOf({ context }, signal));
    const policy = createViewPolicy(wishes, { network, permissions });
    return { uri, html, requirements: wishes, tool: definition, frame: views.open(policy), allow: policy.allow };
  },
  callFromView: async ({ server, view, tool, arguments: args, agreed = false }, { servers, calls, clients, runs }) => {
    const { home: _home, steps, ...found } = await toolOf(server, tool, { servers, calls, clients });
    if (!isVisibleTo('app', found.definition))
      throw new AppError('not_allowed', `${truncateName(tool)} of ${server} cannot be called from an app view.`);
    const asks = confirmationNeeded(found);
    if (asks !== undefined && !agreed) return { asks };
    return {
      id: requireRuns(runs).start({ server: found.server, tool: found.name, arguments: args, view }, found, steps).id,
    };
  },
  readForView: async ({ server, uri }, { context, servers, calls, clients }, signal) => {
    const params = { uri };
    const { home } = await homeOf(server, { servers, calls, clients });
    const answer = await home.request('resources/read', params, contextOf({ context }, signal));
    return { result: resultForView(answer, truncateName(uri)) };
  },
} satisfies Handlers;

/**
 * Finds a tool by the server's exact names, so that a view cannot address another server. Rejects with AppError
 * `tool_not_found`.
 */
async function toolOf(
  server: string,
  tool: string,
  { servers, calls, clients }: Pick<CoreGroups, 'servers' | 'calls' | 'clients'>,
): Promise<CatalogEntry & Home> {
  const { home, steps } = await homeOf(server, { servers, calls, clients });
  const { name } = home.config;
  const definition: JsonObject | undefined = home.listing.tools.find((one) => one.name === tool);
  if (definition === undefined)
    throw new AppError('tool_not_found', `${name} has no tool ${JSON.stringify(truncateName(tool))}.`, {
      fix: 'App views can call only the tools of their own server.',
    });
  return { id: `${name}:${tool}`, server: name, name: tool, listedName: tool, definition, home, steps };
}

/** Connection that provides a server's views, and the pipeline that calls it. */
interface Home {
  readonly home: ManagedServer;
  readonly steps: CallStages;
}

/**
 * A server may list views only to clients that declare support, so it is asked as one of those. Rejects as `ready`
 * does.
 */
async function homeOf(
  server: string,
  { servers, calls, clients }: Pick<CoreGroups, 'servers' | 'calls' | 'clients'>,
): Promise<Home> {
  await calls.catalog.configLoaded(settleMs);
  const shared = servers.manager.get(server);
  if (shared.listedAt === undefined) await shared.ready();
  if (ownKind === undefined || shared.listing.tools.some((tool) => viewUriOf(tool) !== undefined))
    return { home: shared, steps: calls.stages };
  const declaring = clients.extensions.core(ownKind);
  await declaring.compared?.(settleMs);
  return { home: declaring.servers.get(server), steps: declaring.steps };
}

const ownKind = extensionSetOf(userCapabilities);

/** Whether a tool has a view, for all clients or for those that declare support, as far as one has connected. */
export function hasView(
  server: string,
  tool: string,
  { servers, clients }: Pick<CoreGroups, 'servers' | 'clients'>,
): boolean {
  const others = ownKind && clients.extensions.find(ownKind)?.servers.find(server);
  return [servers.manager.find(server), others].some((one) =>
    one?.listing.tools.some((listed) => listed.name === tool && viewUriOf(listed) !== undefined),
  );
}

/** Context of the user's manual runs, on the same connection, so that a view sees their changes. */
function contextOf({ context }: Pick<CoreGroups, 'context'>, signal: AbortSignal): CallContext {
  return {
    sessionId: userSession,
    clientInfo: { name: userApp, version: context.version },
    clientCapabilities: userCapabilities,
    signal,
    onLog: () => undefined,
    askClient: () =>
      Promise.reject(new AppError('unsupported', 'Elicitation is not available while reading a resource.')),
    acceptsInputRequired: false,
  };
}
