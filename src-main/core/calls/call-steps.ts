/** The steps of the pipeline as the core runs them: who is asked at each stage. */
import type { ActivityLog } from '../activity/activity-log.ts';
import type { CallDetails } from '../activity/call-details.ts';
import { AppError, withFix } from '../base/errors.ts';
import type { IsToolOn, LiveCatalog } from '../catalog/live-catalog.ts';
import { toolOff } from '../catalog/tool-finder.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import { RpcError } from '../wire/message.ts';
import { type CallSteps, checkIntent } from './call-tool.ts';
import { checkArguments, SchemaCompiler } from './check-arguments.ts';
import { recordCall, tellLedger } from './record-call.ts';
import { explainError, explainResult } from './refused-arguments.ts';
import { ResultCache } from './result-cache.ts';
import type { ResultShaper } from './shape-result.ts';

interface StepParts {
  readonly catalog: LiveCatalog;
  readonly servers: ServerManager;
  readonly isOn: IsToolOn;
  /** Another launch that a person could take for a server that does not start, as a sentence. */
  readonly knownFix: (server: string) => string | undefined;
  readonly shaper: ResultShaper;
  readonly activity: ActivityLog;
  readonly details: CallDetails;
  /** How long servers that were never listed are waited for on account of a name that says no server, in ms. */
  readonly settleMs: number;
  /** How long answers may be given again, in seconds, by server or tool. */
  readonly cacheSeconds: () => Readonly<Record<string, number>>;
}

export function callSteps(parts: StepParts): CallSteps {
  const { catalog, servers, isOn, knownFix, shaper, activity, details, settleMs, cacheSeconds } = parts;
  const schemas = new SchemaCompiler();
  const cache = makeCache(servers, cacheSeconds);
  return {
    resolve: ({ tool, server }, context) => {
      const found = catalog.finder.look(tool, server);
      return 'missing' in found ? catalog.awaitTool(tool, server, settleMs, context) : found;
    },
    // Quarantine takes its place here.
    allow: (tool, { intent }) => {
      if (!isOn(tool.server, tool.name)) throw toolOff(tool.id);
      if (intent !== undefined) checkIntent(tool, intent);
    },
    check: (tool, request) => checkArguments(tool, request, schemas, request.asked ?? request.tool),
    call: (tool, params, request, context) =>
      cache.cachedCall(tool, params, context, async (watched) => {
        try {
          return await servers.get(tool.server).request('tools/call', params, watched);
        } catch (error) {
          if (error instanceof RpcError) throw await explainError(error, { tool, request, context }, schemas);
          throw error instanceof AppError ? withFix(error, knownFix(tool.server)) : error;
        }
      }),
    shape: async (result, tool, request, context) => {
      const explained = await explainResult(result, { tool, request, context }, schemas);
      return shaper.shape(explained, tool, request, context);
    },
    record: (call) => {
      recordCall(activity, details, call);
      tellLedger(call);
    },
  };
}

function makeCache(servers: ServerManager, cacheSeconds: StepParts['cacheSeconds']): ResultCache {
  const cache = new ResultCache({
    cacheSeconds,
    server: (name) => {
      const server = servers.find(name);
      return server && { hash: server.config.hash, listing: server.listing, handshake: server.handshake };
    },
    now: Date.now,
  });
  servers.notified.on(({ server, method }) => {
    if (method === 'notifications/resources/updated') cache.drop(server.config.name);
  });
  return cache;
}
