/** Requests of the command line to a running core: one line per request. */
import { textOrEmpty } from '../../core/base/json.ts';
import { serverVariables } from '../../core/admin/environment-source.ts';
import { isRisky, type Proposal } from '../../core/admin/server-change.ts';
import { sentenceWithSecrets } from '../../core/admin/explain-change.ts';
import type { ServerAdmin } from '../../core/admin/server-admin.ts';
import type { CoreGroups } from '../../core/core-groups.ts';
import { AppError } from '../../core/base/errors.ts';
import { readLogTail } from '../../core/base/log-tail.ts';
import { markInvisible, truncateName } from '../../core/base/visible-text.ts';
import { callTool } from '../../core/calls/call-tool.ts';
import { type CatalogEntry, resolveServer } from '../../core/catalog/catalog.ts';
import { localUser } from '../../core/security/principal.ts';
import type { RevocationResult } from '../../core/servers/oauth/revoke-grant.ts';
import { parseLogLine } from '../../core/servers/transports/server-log-format.ts';
import { type Result, rpcCode, RpcError } from '../../core/wire/message.ts';
import { viewFor } from '../../core/sessions/views/endpoint.ts';
import type { SessionView } from '../../core/sessions/session-view.ts';
import { toObject } from '../../core/wire/raw-json.ts';
import { displayNameOf } from '../../core/client-apps/app-traits.ts';
import type { ProposalSummary, ToolSummary } from '../contract.ts';
import { coreState, type Handlers } from '../deps.ts';
import { coreFindings } from '../health.ts';

const settleTimeoutMs = 15_000;
/** Maximum log size per response, in bytes. */
const maxLogBytes = 256 * 1024;

export const coreHandlers = {
  state: async (_input, { context, servers, clients, addresses }) =>
    coreState({ context, servers, clients }, addresses()),
  health: async (_input, deps) => ({ findings: await coreFindings(deps) }),
  tools: async ({ server }, { calls }) => {
    await calls.catalog.settled(settleTimeoutMs);
    const { current } = calls.catalog;
    const only = server === undefined ? undefined : resolveServer(current, server);
    return { tools: current.tools.filter((tool) => only === undefined || tool.server === only).map(summary) };
  },
  search: async ({ query, limit }, { calls }) => {
    await calls.catalog.settled(settleTimeoutMs);
    const { total, hits } = calls.catalog.index.search(query, { limit: limit ?? 10 });
    const byId = new Map(calls.catalog.current.tools.map((tool) => [tool.id, tool]));
    return {
      total,
      hits: hits.flatMap(({ id, why: reason }) => {
        const tool = byId.get(id);
        return tool === undefined ? [] : [{ ...summary(tool), reason }];
      }),
    };
  },
  call: async ({ tool, arguments: args, intent, reason }, { context, calls, clients }, signal) => {
    // The user receives the full result, because there is no model context to flood.
    const caller = cliCallContext(context.version, signal);
    if (calls.modes.helpers.has(tool) && calls.catalog.current.lookup.tools.byListedName(tool) === undefined) {
      return toObject(await unshapedView({ clients }).callTool({ name: tool, arguments: args }, caller));
    }
    const request = { tool, arguments: args, intent, declared: { reason }, spill: 'never' } as const;
    return toObject(await callTool(request, caller, calls.stages));
  },
  proposals: async (_input, { servers }) => ({ proposals: await proposalSummaries(servers.admin) }),
  variables: async (_input, { context, servers }) => ({
    servers: await serverVariables(context.config.current.servers, servers.environment),
  }),
  lockVersion: ({ server, version }, { context, servers }) => servers.edits.lockVersion(server, version, context.env),
  reviews: async ({ server }, { trust: { reviews } }) => ({
    reviews: server === undefined ? await reviews.pending() : [await reviews.find(server)],
  }),
  reviewServer: async ({ server, id, choice }, { trust: { reviews } }) => ({
    sentence: (await reviews.decide(server, choice, id, 'command line')).sentence,
  }),
  previewServer: ({ server, id }, { trust: { reviews } }) => reviews.preview(server, id),
  approve: async ({ id }, { servers, trust }) => decide(id, { servers, trust }, 'approve'),
  reject: async ({ id }, { servers, trust }) => decide(id, { servers, trust }, 'reject'),
  restart: async ({ server, clear }, { context, servers, clients, addresses }) => {
    const found = servers.manager.get(server);
    servers.transports.log(found.config.name).appendEvent('Restarted manually.');
    await found.retry(clear === undefined ? {} : { clear }).catch(() => undefined);
    const status = coreState({ context, servers, clients }, addresses()).servers.find(
      ({ name }) => name === found.config.name,
    );
    if (status === undefined) throw new AppError('server_not_found', `${server} was removed.`);
    return status;
  },
  reload: async (_input, { servers }) => ({ problems: (await servers.admin.reload()).length }),
  signIn: async ({ server }, { servers }) => ({ url: (await servers.manager.get(server).signIn()).url }),
  signOut: async ({ server }, { servers }) => {
    const { config } = servers.manager.get(server);
    const { how } = await servers.manager.get(server).signOut();
    const sentence = signedOutMessage[how](markInvisible(config.name));
    if (how !== 'nothing') servers.admin.recordUserDecision('sign-out', sentence, config.name);
    return { wasSignedIn: how !== 'nothing', sentence };
  },
  log: async ({ server, after }, { context, servers }) => {
    const { name } = servers.manager.get(server).config;
    servers.transports.log(name).flush();
    const { lines, mark, skipped } = await readLogTail(servers.transports.logFile(name), maxLogBytes, after);
    // Masked when written; masked again for secrets added since.
    return { lines: lines.map((line) => parseLogLine(context.masker.maskText(line))), mark, skipped };
  },
  setPaused: async ({ paused }, { servers }) => {
    await servers.manager.setPaused(paused);
    return {};
  },
  stop: async (_input, { stop }) => {
    // Sends the response before the socket closes.
    setTimeout(stop, 50);
    return {};
  },
} satisfies Handlers;

const signedOutMessage: Readonly<Record<RevocationResult['how'], (name: string) => string>> = {
  nothing: (name) => `You are not signed in to ${name}.`,
  revoked: (name) => `Signed out of ${name}. The tokens were revoked and deleted.`,
  unable: (name) =>
    `Signed out of ${name}. The tokens were deleted. The server does not support revocation, so they remain valid until they expire.`,
  failed: (name) =>
    `Signed out of ${name}. The tokens were deleted but could not be revoked. Remove the access in your account settings at the provider.`,
};

function summary({ id, listedName, definition }: CatalogEntry): ToolSummary {
  return {
    id,
    listedName,
    description: textOrEmpty(definition['description']),
  };
}

/** Pending proposals, as shown to the user. */
async function proposalSummaries(admin: ServerAdmin): Promise<ProposalSummary[]> {
  return Promise.all((await admin.proposals()).map((proposal) => summaryOf(proposal, admin)));
}

async function summaryOf(proposal: Proposal, admin: ServerAdmin): Promise<ProposalSummary> {
  const { id, at, author, changes } = proposal;
  const isFile = author.app === '';
  const explained = await admin.explain(proposal);
  return {
    id,
    at,
    origin: isFile ? 'file' : 'model',
    changes: explained,
    sentence: sentenceWithSecrets(markInvisible(proposal.sentence), explained),
    app: isFile ? '' : markInvisible(displayNameOf(author.app)),
    tool: markInvisible(author.tool),
    risky: isFile || changes.some(isRisky),
  };
}

/** Returns the decision as shown before it was made. */
async function decide(
  id: string,
  { servers: { admin }, trust: { inbox } }: Pick<CoreGroups, 'servers' | 'trust'>,
  action: 'approve' | 'reject',
): Promise<ProposalSummary> {
  const open = await admin.proposals();
  const found = open.find((proposal) => proposal.id === id);
  if (found === undefined) {
    const fix =
      open.length === 0 ? 'There are no pending proposals.' : `Pending: ${open.map((one) => one.id).join(', ')}.`;
    throw new AppError('not_found', `No proposal with the ID ${truncateName(id)}.`, { fix });
  }
  const shown = await summaryOf(found, admin);
  await inbox.decide(id, { action, by: 'command line' });
  return shown;
}

/** Returns a view for helper tools as in any session, with full results. */
function unshapedView({ clients: { services } }: Pick<CoreGroups, 'clients'>): SessionView {
  const { shaper } = services;
  const whole = { shapeHelperResult: (result: Result) => Promise.resolve(result), spill: shaper.spill.bind(shaper) };
  return viewFor({ mode: 'proxy' }, { ...services, shaper: whole });
}

/** The command line cannot answer elicitation or sampling requests. */
function cliCallContext(version: string, signal: AbortSignal): Parameters<typeof callTool>[1] {
  return {
    principal: localUser,
    sessionId: 'command-line',
    app: 'command line',
    mode: 'direct',
    // Servers of revision 2026-07-28 reject clients without a version.
    clientInfo: { name: 'tooltray', version },
    clientCapabilities: {},
    signal,
    onLog: () => undefined,
    askClient: (method) =>
      Promise.reject(new RpcError(rpcCode.methodNotFound, `The command line does not support ${method}.`)),
    acceptsInputRequired: false,
  };
}
