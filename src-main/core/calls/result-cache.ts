/**
 * Caches results of read-only, repeatable tools for as long as the user has configured. Only plain results are cached:
 * no errors, no server-initiated requests, no tasks, and nothing that depended on a client app.
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ResultSettings } from '../config/app-config.ts';
import { resultBytes } from '../spills/spill.ts';
import { metaOf } from '../wire/protocol-kind.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf, RawJson } from '../wire/raw-json.ts';
import type { CallerContext } from './call-tool.ts';

/** Identifies the server that a cached result came from. */
export interface CachedServer {
  /** Hash of the server's config entry. */
  readonly hash: string;
  /** The server's listing and its `initialize` result; both are new objects after a change or a restart. */
  readonly listing: unknown;
  readonly handshake: unknown;
}

interface ResultCacheOptions {
  /** Returns how long results are cached, in seconds, by server or `server:tool`. */
  readonly settings: () => Pick<ResultSettings, 'cacheSeconds'>;
  readonly server: (name: string) => CachedServer | undefined;
  readonly now: () => number;
  readonly maxTotalBytes?: number;
}

/** Calls the server, with a context that notes server-initiated requests. */
type Call = (context: CallerContext) => Promise<Result>;

interface CachedResult {
  readonly result: Result;
  readonly at: number;
  readonly bytes: number;
  readonly tool: CatalogEntry;
  readonly server: CachedServer;
}

const cachedKey = 'tooltray/cached';

const maxEntries = 1000;
const maxBytes = 64 * 1024 * 1024;

export class ResultCache {
  readonly #options: ResultCacheOptions;
  /** Least recently used first. */
  readonly #results = new Map<string, CachedResult>();
  #bytes = 0;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
  }

  /** Returns a cached result, or that of the pipeline's call. Rejects as the call does. */
  cachedCall(tool: CatalogEntry, params: JsonObject, context: CallerContext, call: Call): Promise<Result> {
    const seconds = this.#secondsFor(tool);
    const server = seconds > 0 && isCacheable(tool) ? this.#options.server(tool.server) : undefined;
    const owner = server && ownerOf(context);
    const key = server && owner && cacheKey([server.hash, tool.name, ...owner], params);
    if (server === undefined || key === undefined) return call(context);
    return this.#storedCall(tool, { key, server, seconds }, context, call);
  }

  async #storedCall(
    tool: CatalogEntry,
    { key, server, seconds }: { readonly key: string; readonly server: CachedServer; readonly seconds: number },
    context: CallerContext,
    call: Call,
  ): Promise<Result> {
    const known = this.#find(key, server, seconds);
    if (known !== undefined) return marked(known, this.#options.now());
    let isRequested = false;
    const askClient: CallerContext['askClient'] = (method, input, signal) => {
      isRequested = true;
      return context.askClient(method, input, signal);
    };
    const result = await call({ ...context, askClient });
    // The server may have changed during the call.
    const after = this.#options.server(tool.server);
    if (!isRequested && isPlainAnswer(result) && after !== undefined && isSame(server, after))
      this.#keep(key, { result, at: this.#options.now(), bytes: resultBytes(result), tool, server });
    return result;
  }

  /** Forgets the results of a server whose data has changed. */
  invalidate(server: string): void {
    for (const [key, cached] of this.#results) if (cached.tool.server === server) this.#remove(key);
  }

  #secondsFor(tool: CatalogEntry): number {
    const { cacheSeconds } = this.#options.settings();
    return cacheSeconds[tool.id] ?? cacheSeconds[tool.server] ?? 0;
  }

  #find(key: string, server: CachedServer, seconds: number): CachedResult | undefined {
    const cached = this.#results.get(key);
    if (cached === undefined) return undefined;
    this.#results.delete(key);
    const age = this.#options.now() - cached.at;
    // After the clock was set back, cached results seem to come from the future.
    if (age < 0 || age >= seconds * 1000 || !isSame(server, cached.server)) {
      this.#bytes -= cached.bytes;
      return undefined;
    }
    this.#results.set(key, cached);
    return cached;
  }

  #keep(key: string, cached: CachedResult): void {
    const most = this.#options.maxTotalBytes ?? maxBytes;
    this.#remove(key);
    if (cached.bytes > most) return;
    this.#results.set(key, cached);
    this.#bytes += cached.bytes;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= maxEntries && this.#bytes <= most) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#results.get(key)?.bytes ?? 0;
    this.#results.delete(key);
  }
}

/**
 * The owner of a cached result: the principal, and also the session if the client app can answer server-initiated
 * requests (for roots, for example), because the result may depend on the answers. Undefined for a shared principal
 * without a known session.
 */
function ownerOf({ principal, clientCapabilities, sessionId }: CallerContext): readonly string[] | undefined {
  if (!askable.some((capability) => isObject(clientCapabilities[capability]))) return [principal.owner];
  return principal.isShared ? undefined : [principal.owner, sessionId];
}

const askable = ['roots', 'sampling', 'elicitation'] as const;

/** Source: ToolAnnotations in the MCP schema: `idempotentHint` is meaningful only if `readOnlyHint` is false. */
function isCacheable({ definition }: CatalogEntry): boolean {
  return objectOrEmpty(definition['annotations'])['readOnlyHint'] === true;
}

function isPlainAnswer(result: Result): boolean {
  const type = scalarOf(result, 'resultType');
  return scalarOf(result, 'isError') !== true && (type === undefined || type === 'complete') && !isTask(result);
}

/** Whether the result is a task. Tasks are small, so a result held as bytes is none. */
function isTask(result: Result): boolean {
  return !(result instanceof RawJson) && ('task' in result || result['resultType'] === 'task');
}

function isSame(one: CachedServer, other: CachedServer): boolean {
  return one.hash === other.hash && one.listing === other.listing && one.handshake === other.handshake;
}

/** Marks a cached result in `_meta`, unless it is held as bytes and has a `_meta` of its own. */
function marked({ result, at }: CachedResult, now: number): Result {
  const mark = { [cachedKey]: { at: new Date(at).toISOString(), ageSeconds: Math.round((now - at) / 1000) } };
  if (result instanceof RawJson) return result.withMembers({ _meta: mark });
  const meta = objectOrEmpty(result['_meta']);
  return { ...result, _meta: { ...meta, ...mark } };
}

// Identifies equal calls: the server's entry, the tool's name, and the arguments in any order of members.

/** Members of a request that do not affect the result; `_meta` says who calls and how progress is reported. */
const plain: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

/**
 * `parts`: what else the result depends on. Undefined if a call has more than arguments: a task, a further attempt, or
 * something unknown.
 */
function cacheKey(parts: readonly string[], params: JsonObject): string | undefined {
  if (Object.keys(params).some((key) => !plain.has(key)) || asksForTask(params)) return undefined;
  const call = JSON.stringify([parts, sorted(params['arguments'] ?? {})]);
  return createHash('sha256').update(call).digest('base64');
}

function asksForTask(params: JsonObject): boolean {
  return Object.keys(metaOf(params)).some((key) => /(^|[/-])tasks?$/.test(key));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  // Pairs, because an object would reorder numeric names and lose one called __proto__.
  return { members: members.sort(([a], [b]) => (a < b ? -1 : Number(a > b))) };
}
