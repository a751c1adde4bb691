/** What the dashboard asks about tools that the person runs by hand. */
import { AppError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { markHidden } from '../../core/base/shown-text.ts';
import { count } from '../../core/base/wording.ts';
import { givenByMode } from '../../core/calls/given-by-mode.ts';
import { askedFirst, type Run, type Runs } from '../../core/calls/runs.ts';
import { ownApp } from '../../core/security/principal.ts';
import type { CatalogEntry } from '../../core/catalog/catalog.ts';
import { thePerson } from '../../core/security/principal.ts';
import type { Result } from '../../core/wire/message.ts';
import { toObject } from '../../core/wire/raw-json.ts';
import type { RunState } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

const settleMs = 15_000;
const longestWaitMs = 20_000;
/** In characters. */
const longestSent = 64 * 1024;
/** Of what a view is given, in characters of JSON. */
const longestForView = 8 * 1024 * 1024;

export const runHandlers = {
  startRun: async ({ server, tool, arguments: args, agreed = false }, { core, runs: open }) => {
    await core.catalog.configured(settleMs);
    const found = ownTool(tool, server, core) ?? core.catalog.finder.find(tool, server);
    const asks = askedFirst(found);
    if (asks !== undefined && !agreed) return { asks };
    return { id: here(open).start({ server: found.server, tool: found.name, arguments: args }, found).id };
  },
  run: async ({ id, after }, { runs: open }, signal) => {
    const run = here(open).find(id);
    await run.newer(after, AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)]));
    return runState(run);
  },
  answerRun: async ({ id, question, answer }, { runs: open }) => {
    here(open).find(id).answer(question, answer);
    return {};
  },
  cancelRun: async ({ id }, { runs: open }) => {
    here(open).find(id).cancel();
    return {};
  },
  runResult: async ({ id }, { runs: open }) => {
    const { end } = here(open).find(id);
    if (end?.sent === undefined) throw new AppError('not_found', 'The server has sent nothing.');
    return { result: givenToView(end.sent, 'The answer') };
  },
  runGiven: async ({ id, app = ownApp }, { core, runs: open }, signal) => {
    const { end, tool, request } = here(open).find(id);
    if (end?.sent === undefined) throw new AppError('not_found', 'The server has sent nothing.');
    const context = {
      ...{ principal: thePerson, sessionId: id, app, mode: 'direct', clientInfo: {}, clientCapabilities: {}, signal },
      ...{ onLog: () => undefined, acceptsInputRequired: false },
      askClient: () => Promise.reject(new AppError('unsupported', 'Nobody is asked.')),
    };
    const names = ['server', ...core.modes.modes.map(({ name }) => name)];
    const parts: Parameters<typeof givenByMode>[2] = {
      ...{ shaper: core.shaper, ledger: core.ledger },
      keep: (...answer) => core.spills.keep(...answer),
    };
    return { rows: await givenByMode({ result: end.sent, tool, request, context }, names, parts) };
  },
} satisfies Handlers;

/** By the server's own name: a person may also run what no model is told of. */
function ownTool(tool: string, server: string, { servers }: RpcDeps['core']): CatalogEntry | undefined {
  const definition = servers.find(server)?.listing.tools.find(({ name }) => name === tool);
  return definition && { id: `${server}:${tool}`, server, name: tool, listedName: tool, definition };
}

/** Throws AppError unsupported. */
export function here(runs: Runs | undefined): Runs {
  if (runs === undefined) throw new AppError('unsupported', 'Tools are run by hand in the dashboard.');
  return runs;
}

/** What a server sent, for the view that asked for it. Throws AppError message_too_large, which names it by `what`. */
export function givenToView(sent: Result, what: string): JsonObject {
  const result = toObject(sent);
  const { length } = JSON.stringify(result);
  if (length <= longestForView) return result;
  throw new AppError('message_too_large', `${what} has ${count(length, 'character')}.`, {
    fix: `A view is given up to ${longestForView}.`,
  });
}

function runState({ id, wish, revision, startedAt, progress, log, questions, end }: Run): RunState {
  const text = end?.sent === undefined ? '' : JSON.stringify(toObject(end.sent));
  const sent = { sent: markHidden(text.slice(0, longestSent)), bytes: Buffer.byteLength(text) };
  return {
    ...{ id, server: wish.server, tool: wish.tool, revision, startedAt, progress, log: [...log], questions },
    end: end && {
      ...{ endedAt: end.endedAt, outcome: end.outcome, error: end.error, ...sent },
      cut: text.length > longestSent,
    },
  };
}
