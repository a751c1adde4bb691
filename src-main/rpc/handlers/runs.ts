/** Dashboard requests about tools that the user runs manually. */
import type { CoreGroups } from '../../core/core-groups.ts';
import { AppError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { markInvisible } from '../../core/base/visible-text.ts';
import { formatCount } from '../../core/base/text-format.ts';
import { previewByMode } from '../../core/calls/preview-by-mode.ts';
import { confirmationNeeded, type ManualRun, type ManualRuns } from '../../core/calls/manual-runs.ts';
import { userApp } from '../../core/security/principal.ts';
import type { CatalogEntry } from '../../core/catalog/catalog.ts';
import { localUser } from '../../core/security/principal.ts';
import type { Result } from '../../core/wire/message.ts';
import { toObject } from '../../core/wire/raw-json.ts';
import type { RunState } from '../contract.ts';
import type { Handlers } from '../deps.ts';

const settleMs = 15_000;
const maxWaitMs = 20_000;
/** In characters. */
const maxSentLength = 64 * 1024;
/** Maximum size of a result for a view, in characters of JSON. */
const maxViewBytes = 8 * 1024 * 1024;

export const runHandlers = {
  startRun: async ({ server, tool, arguments: args, agreed = false }, { servers, calls, runs: open }) => {
    await calls.catalog.configLoaded(settleMs);
    const found = findServerTool(tool, server, { servers }) ?? calls.catalog.finder.find(tool, server);
    const asks = confirmationNeeded(found);
    if (asks !== undefined && !agreed) return { asks };
    return { id: requireRuns(open).start({ server: found.server, tool: found.name, arguments: args }, found).id };
  },
  run: async ({ id, after }, { runs: open }, signal) => {
    const run = requireRuns(open).find(id);
    await run.waitForUpdate(after, AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]));
    return runState(run);
  },
  respondToRun: async ({ id, question, answer }, { runs: open }) => {
    requireRuns(open).find(id).reply(question, answer);
    return {};
  },
  cancelRun: async ({ id }, { runs: open }) => {
    requireRuns(open).find(id).cancel();
    return {};
  },
  runResult: async ({ id }, { runs: open }) => {
    const { end } = requireRuns(open).find(id);
    if (end?.sent === undefined) throw new AppError('not_found', 'The server returned nothing.');
    return { result: resultForView(end.sent, 'The result') };
  },
  runPreviews: async ({ id, app = userApp }, { calls, activity, runs: open }, signal) => {
    const { end, tool, callRequest } = requireRuns(open).find(id);
    if (end?.sent === undefined) throw new AppError('not_found', 'The server returned nothing.');
    const context = {
      principal: localUser,
      sessionId: id,
      app,
      mode: 'direct',
      clientInfo: {},
      clientCapabilities: {},
      signal,
      onLog: () => undefined,
      acceptsInputRequired: false,
      askClient: () => Promise.reject(new AppError('unsupported', 'Elicitation is not available.')),
    };
    const names = ['server', ...calls.modes.modes.map(({ name }) => name)];
    const parts: Parameters<typeof previewByMode>[2] = {
      shaper: calls.shaper,
      ledger: activity.ledger,
      keep: (...answer) => calls.spills.spill(...answer),
    };
    return { rows: await previewByMode({ result: end.sent, tool, request: callRequest, context }, names, parts) };
  },
} satisfies Handlers;

/** Finds a tool by the server's own name: a user may also run tools hidden from models. */
function findServerTool(
  tool: string,
  server: string,
  { servers: { manager: servers } }: Pick<CoreGroups, 'servers'>,
): CatalogEntry | undefined {
  const definition = servers.find(server)?.listing.tools.find(({ name }) => name === tool);
  return definition && { id: `${server}:${tool}`, server, name: tool, listedName: tool, definition };
}

/** Throws AppError `unsupported`. */
export function requireRuns(runs: ManualRuns | undefined): ManualRuns {
  if (runs === undefined)
    throw new AppError('unsupported', 'Running tools manually is available only in the dashboard.');
  return runs;
}

/**
 * Returns a server's result for the view that requested it. Throws AppError `message_too_large`, which names it
 * as `what`.
 */
export function resultForView(sent: Result, what: string): JsonObject {
  const result = toObject(sent);
  const { length } = JSON.stringify(result);
  if (length <= maxViewBytes) return result;
  throw new AppError('message_too_large', `${what} has ${formatCount(length, 'character')}.`, {
    fix: `App views receive at most ${maxViewBytes}.`,
  });
}

function runState({ id, request: wish, revision, startedAt, progress, log, openRequests, end }: ManualRun): RunState {
  const text = end?.sent === undefined ? '' : JSON.stringify(toObject(end.sent));
  const sent = { sent: markInvisible(text.slice(0, maxSentLength)), bytes: Buffer.byteLength(text) };
  return {
    id,
    server: wish.server,
    tool: wish.tool,
    revision,
    startedAt,
    progress,
    log: [...log],
    questions: openRequests,
    end: end && {
      endedAt: end.endedAt,
      outcome: end.outcome,
      error: end.error,
      ...sent,
      cut: text.length > maxSentLength,
    },
  };
}
