/** The stages of the pipeline, connected to the parts of the core. */
import { AppError, type ErrorCode, errorText, addFix } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { IsToolEnabled, LiveCatalog } from '../catalog/live-catalog.ts';
import { toolDisabledError } from '../catalog/tool-finder.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { ServerSet } from '../servers/server-manager.ts';
import type { DataFlowGuard } from '../trust/data-flow/data-flow-guard.ts';
import { type Result, RpcError } from '../wire/message.ts';
import { scalarOf } from '../wire/raw-json.ts';
import { type AdmitCall, type CallerContext, type CallRequest, type CallStages, checkIntent } from './call-tool.ts';
import { validateArguments } from './validate-arguments.ts';
import { SchemaChecker } from './schema-check.ts';
import { type CallRecorders, recordCall, recordCallNow, reportToLedger } from './record-call.ts';
import { withSchemaHint, withSchemaHintInResult, withoutShownSchema } from './rejected-arguments.ts';
import { ResultCache } from './result-cache.ts';
import { callToolOnServer } from './required-task.ts';
import type { ResultShaper } from './shape-result.ts';

export interface CallStagesDeps extends CallRecorders {
  readonly catalog: LiveCatalog;
  readonly servers: ServerSet;
  readonly isOn: IsToolEnabled;
  /**
   * Returns a sentence about another launch configuration that may be the same server, for a server that does not
   * start.
   */
  readonly knownFix: (server: string) => string | undefined;
  readonly shaper: ResultShaper;
  /** How long a call waits for servers that were never listed, if its name belongs to no known server. In ms. */
  readonly settleMs: number;
  /** Returns how long results may be reused from the cache. */
  readonly results: () => Pick<ResultSettings, 'cacheSeconds'>;
  readonly flow: Pick<DataFlowGuard, 'release' | 'recordResult' | 'recordText'>;
  /** Whether a call returns only after its audit record is stored. */
  readonly writesAhead: () => boolean;
  /** Absent on a desktop, which has no quotas. */
  readonly admit?: AdmitCall | undefined;
  readonly newTraceId?: (() => string) | undefined;
}

export function createCallStages(parts: CallStagesDeps): CallStages {
  const { admit, newTraceId, catalog, servers, isOn, knownFix, shaper, settleMs, results, flow, notes, writesAhead } =
    parts;
  const schemas = new SchemaChecker();
  const cache = makeCache(servers, results);
  return {
    resolve: ({ tool, server }, context) => {
      const found = catalog.finder.tryFind(tool, server);
      if (!('missing' in found)) return found;
      const awaited = (): Promise<CatalogEntry> => catalog.awaitTool(tool, server, settleMs, context);
      return awaited().catch(async (error: unknown) => {
        // A server with a sign-in per user is listed as soon as one user has signed in.
        if (!(await admittedTo(servers, error, context))) throw error;
        return awaited();
      });
    },
    allow: (tool, { intent, source }) => {
      if (!isOn(tool.server, tool.name)) throw toolDisabledError(tool.id);
      // A cached result is not returned for a tool that is quarantined.
      servers.find(tool.server)?.assertAccepted('tools/call', tool.definition);
      if (intent !== undefined) checkIntent(tool, intent, source === 'program');
    },
    check: async (tool, request, context) => {
      try {
        return await validateArguments(tool, request, schemas, request.errors?.spelling ?? request.tool);
      } catch (error) {
        throw withoutShownSchema(error, { tool, request, context });
      }
    },
    admit,
    newTraceId,
    release: (tool, args, context) =>
      writesAhead()
        ? notes.writable().then(() => flow.release(tool, args, context))
        : flow.release(tool, args, context),
    call: (tool, params, request, context) =>
      noted(flow, tool, params, context, () =>
        cache.cachedCall(tool, params, context, async (watched) => {
          try {
            const server = servers.get(tool.server);
            if (tool.definition['execution'] === undefined) return await server.request('tools/call', params, watched);
            return await callToolOnServer(server, tool.definition, params, watched);
          } catch (error) {
            if (error instanceof RpcError) throw await withSchemaHint(error, { tool, request, context }, schemas);
            if (!(error instanceof AppError)) throw error;
            throw addFix(addFix(error, knownFix(tool.server)), whatNow(error, tool, request, catalog));
          }
        }),
      ),
    shape: (result, tool, request, context) => {
      if (scalarOf(result, 'isError') !== true) return shaper.shape(result, tool, request, context);
      return withSchemaHintInResult(result, { tool, request, context }, schemas).then((explained) =>
        shaper.shape(explained, tool, request, context),
      );
    },
    record: (call, exchange) => {
      const stored = writesAhead() ? recordCallNow(parts, call) : recordCall(parts, call);
      reportToLedger(call, exchange);
      return stored;
    },
  };
}

/**
 * Returns whether the caller now has a connection of their own to the server that requires a sign-in. Rejects with
 * AppError.
 */
async function admittedTo(servers: ServerSet, error: unknown, context: CallerContext): Promise<boolean> {
  if (!(error instanceof AppError) || error.code !== 'server_unauthorized') return false;
  const server = error.data?.['server'];
  return typeof server === 'string' && (await servers.find(server)?.admit(context)) === true;
}

/** Records that the session has read the server's text, also for a cached result or a failed call. */
async function noted(
  flow: CallStagesDeps['flow'],
  tool: CatalogEntry,
  { arguments: args }: JsonObject,
  context: CallerContext,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await call();
    flow.recordResult(tool, isObject(args) ? args : undefined, result, context);
    return result;
  } catch (error) {
    if (error instanceof RpcError) flow.recordText(tool.id, tool.server, errorText(error), context);
    throw error;
  }
}

/** The server was not available for the call, so calling another one repeats nothing. */
const neverSent: ReadonlySet<ErrorCode> = new Set(['command_not_found', 'server_not_started', 'server_unauthorized']);

/** Returns the next step after a failed call. Only the caller can retry it. */
function whatNow(error: AppError, tool: CatalogEntry, request: CallRequest, catalog: LiveCatalog): string | undefined {
  // A server marked as failed may have recovered, received the call, and failed during it.
  const wasNotSent = error.data?.['neverSent'] === true;
  if (neverSent.has(error.code) || (tool.down !== undefined && wasNotSent)) {
    return insteadOf(tool, catalog, request.errors?.maySuggest);
  }
  const onlyReads = objectOrEmpty(tool.definition['annotations'])['readOnlyHint'] === true;
  if (error.code !== 'server_exited' || wasNotSent || onlyReads) return undefined;
  return 'The call may have taken effect. Check before you repeat it.';
}

/** Suggests a tool of another server that does the same according to its words, while this one is unavailable. */
function insteadOf(
  { id, name, server, definition }: CatalogEntry,
  catalog: LiveCatalog,
  maySuggest: (tool: CatalogEntry) => boolean = () => true,
): string | undefined {
  const { index, current } = catalog;
  const { title } = definition;
  const words = `${name} ${typeof title === 'string' ? title : ''}`;
  const there = current.tools.filter((tool) => tool.down === undefined && maySuggest(tool));
  const usable = new Map(there.map((tool) => [tool.id, tool]));
  const [own] = index.search(words, { limit: 1, accepts: (one) => one === id }).hits;
  const [other] = index.search(words, {
    limit: 1,
    accepts: (one) => (usable.get(one)?.server ?? server) !== server,
  }).hits;
  if (own === undefined || other === undefined || other.score < alikeShare * own.score) return undefined;
  return `Similar tool: ${usable.get(other.id)?.listedName}.`;
}

/**
 * Minimum share of the tool's own score for its own name. Of 224 tools of 13 real servers, 16 have such an alternative,
 * nearly all with the same purpose: click and browser_click, search_docs and query-docs.
 */
const alikeShare = 0.4;

function makeCache(servers: ServerSet, settings: CallStagesDeps['results']): ResultCache {
  const cache = new ResultCache({
    settings,
    server: (name) => {
      const server = servers.find(name);
      return server && { hash: server.config.hash, listing: server.listing, handshake: server.handshake };
    },
    now: Date.now,
  });
  servers.notified.on(({ server, method }) => {
    if (method === 'notifications/resources/updated') cache.invalidate(server.config.name);
  });
  return cache;
}
