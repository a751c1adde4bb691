/** The steps of the pipeline as the core runs them: who is asked at each stage. */
import type { ActivityLog } from '../activity/activity-log.ts';
import type { CallDetails } from '../activity/call-details.ts';
import { AppError } from '../base/errors.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { IsToolOn, LiveCatalog } from '../catalog/live-catalog.ts';
import { resolveEntry } from '../catalog/resolve-entry.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { CallRequest, CallSteps } from './call-tool.ts';
import { checkArguments } from './check-arguments.ts';
import { checkIntent } from './check-intent.ts';
import { recordCall } from './record-call.ts';
import { ResultCache } from './result-cache.ts';
import { SchemaCompiler } from './schema-compiler.ts';
import type { ResultShaper } from './shape-result.ts';
import { tellLedger } from './tell-ledger.ts';

export interface StepParts {
  readonly catalog: LiveCatalog;
  readonly servers: ServerManager;
  readonly isOn: IsToolOn;
  readonly shaper: ResultShaper;
  readonly activity: ActivityLog;
  readonly details: CallDetails;
  /** How long answers may be given again, in seconds, by server or tool. */
  readonly cacheSeconds: () => Readonly<Record<string, number>>;
}

export function callSteps(parts: StepParts): CallSteps {
  const { catalog, servers, isOn, shaper, activity, details, cacheSeconds } = parts;
  const schemas = new SchemaCompiler();
  const cache = makeCache(servers, cacheSeconds);
  return {
    resolve: (request) => resolve(request, catalog),
    // Quarantine takes its place here.
    allow: (tool, { intent }) => {
      if (!isOn(tool.server, tool.name)) throw switchedOff(tool.id);
      if (intent !== undefined) checkIntent(tool, intent);
    },
    check: (tool, request) => checkArguments(tool, request, schemas),
    call: (tool, params, context) =>
      cache.cachedCall(tool, params, context, (watched) =>
        servers.get(tool.server).request('tools/call', params, watched),
      ),
    shape: (result, tool, request, context) => shaper.shape(result, tool, request, context),
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

/** What a person switched off is not listed; whoever knows its name all the same is told the truth. */
function resolve({ tool, server }: CallRequest, catalog: LiveCatalog): CatalogEntry {
  const suggest = (name: string): string[] => catalog.index.suggest(name);
  try {
    return resolveEntry(catalog.current, 'tools', tool, { server, suggest });
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'tool_not_found';
    throw isMissing && catalog.isSwitchedOff(tool) ? switchedOff(tool) : error;
  }
}

function switchedOff(tool: string): AppError {
  return new AppError('not_allowed', `${tool} is switched off by the person.`, {
    fix: 'Do without it, or ask them to switch it on in Tooltray.',
  });
}
