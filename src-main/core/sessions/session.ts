/** One client app connected now: answers its requests in the era they speak, and keeps what belongs to it apart from everyone else. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { errorResult } from '../calls/error-result.ts';
import type { CatalogChange } from '../catalog/live-catalog.ts';
import type { ListKey } from '../servers/listing.ts';
import { type Era, isModernRequest, latestLegacyVersion, legacyVersions, metaKey, metaOf } from '../wire/eras.ts';
import { type RequestId, type Result, rpcCode, RpcError } from '../wire/message.ts';
import { asksOf } from './client-asks.ts';
import { discovery, modernResult } from './modern-results.ts';
import { ParkedCalls, type Round } from './parked-calls.ts';
import type { SessionView } from './session-view.ts';
import { Subscriptions } from './subscriptions.ts';

/** What a request brings along from the line it came on. */
export interface RequestLine extends Round {
  readonly id: RequestId;
}

export interface SessionOptions {
  readonly id: string;
  /** The client app's name, if the line says it (`--app`, endpoint); else its clientInfo names it. */
  readonly app: string | undefined;
  readonly view: SessionView;
  readonly parked: ParkedCalls;
  /** Who may take up a parked call: the credential, or the line itself. */
  readonly principal: string;
  /** Sends to the client app outside of any request. */
  readonly notify: (method: string, params: JsonObject) => void;
  /** Asks the client app (handshake era). */
  readonly ask: (
    method: string,
    params: JsonObject,
    relatedRequestId: RequestId,
    signal: AbortSignal,
  ) => Promise<Result>;
}

interface Client {
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
}

const lists: ReadonlyMap<string, ListKey> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

export class Session {
  readonly id: string;
  readonly view: SessionView;
  readonly startedAt = Date.now();
  readonly #options: SessionOptions;
  readonly #subscriptions = new Subscriptions();
  readonly #elicitations = new Set<string>();
  #client: Client = { info: {}, capabilities: {} };
  #era: Era | undefined;
  #logLevel: string | undefined;
  #calls = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.view = options.view;
  }

  get app(): string {
    const { name } = this.#client.info;
    return this.#options.app ?? (typeof name === 'string' ? name : 'unknown');
  }

  get era(): Era | undefined {
    return this.#era;
  }

  /** Tool calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Answers a request. Rejects with RpcError, or with AppError for the line to turn into one. */
  async handle(method: string, params: JsonObject, line: RequestLine): Promise<Result> {
    if (isModernRequest(params)) return this.#handleModern(method, params, line);
    this.#era ??= 'legacy';
    if (method === 'initialize') return this.#initialize(params);
    if (method === 'server/discover') throw new RpcError(rpcCode.methodNotFound, 'Method not found: server/discover');
    const ask = asksOf(this.#client.capabilities, (asked, input, signal) => this.#ask(asked, input, line.id, signal));
    return this.#dispatch(method, params, this.#context(params, line, ask, false));
  }

  /** A notification of the client app. */
  heard(method: string, params: JsonObject): void {
    if (method !== 'notifications/initialized') this.view.heard(method, params, this.id);
  }

  /** Tells the client app that lists it may hold are no longer true. */
  announce(change: CatalogChange): void {
    const changed = this.view.changedLists(change);
    if (changed.tools) this.notify('notifications/tools/list_changed', {});
    if (changed.resources) this.notify('notifications/resources/list_changed', {});
    if (changed.prompts) this.notify('notifications/prompts/list_changed', {});
  }

  /** A notification outside of any request: over open subscriptions (2026-07-28), or plainly. */
  notify(method: string, params: JsonObject): void {
    if (this.#era === 'modern') this.#subscriptions.publish(method, params);
    else if (this.#era === 'legacy' && this.#passesLevel(method, params)) this.#options.notify(method, params);
  }

  /** Whether this client app was sent to the URL of this elicitation. */
  knowsElicitation(id: unknown): boolean {
    return typeof id === 'string' && this.#elicitations.has(id);
  }

  end(): void {
    this.#subscriptions.end();
  }

  async #handleModern(method: string, params: JsonObject, line: RequestLine): Promise<Result> {
    const meta = metaOf(params);
    const version = meta[metaKey.protocolVersion];
    this.#era = 'modern';
    this.#client = {
      info: objectOf(meta[metaKey.clientInfo]),
      capabilities: objectOf(meta[metaKey.clientCapabilities]),
    };
    const introduction = await this.view.introduce();
    if (version !== '2026-07-28') throw unsupportedVersion(version);
    if (method === 'server/discover') return discovery(introduction);
    if (method === 'subscriptions/listen') return this.#listen(params, line);
    if (legacyOnly.has(method)) throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
    const result = mayAsk.has(method)
      ? await this.#parkable(method, params, line)
      : await this.#plain(method, params, line);
    return modernResult(method, result, introduction.serverInfo);
  }

  #plain(method: string, params: JsonObject, line: RequestLine): Promise<Result> {
    const ask = (): Promise<Result> =>
      Promise.reject(new RpcError(rpcCode.methodNotFound, `${method} cannot ask its client anything.`));
    return this.#dispatch(method, params, this.#context(params, line, ask, true));
  }

  #parkable(method: string, params: JsonObject, line: RequestLine): Promise<Result> {
    const { parked, principal } = this.#options;
    const { requestState, inputResponses } = params;
    if (ParkedCalls.isOurs(requestState)) return parked.resume(principal, line, requestState, inputResponses);
    return parked.begin(principal, line, (call) => {
      const ask = asksOf(this.#client.capabilities, call.ask);
      return this.#dispatch(method, params, this.#context(params, { ...line, ...pick(call) }, ask, true));
    });
  }

  async #listen(params: JsonObject, line: RequestLine): Promise<Result> {
    const filter = objectOf(params['notifications']);
    const uris = Array.isArray(filter['resourceSubscriptions']) ? (filter['resourceSubscriptions'] as unknown[]) : [];
    const context = this.#context(
      params,
      line,
      () => Promise.reject(new RpcError(rpcCode.methodNotFound, 'no questions here')),
      true,
    );
    for (const uri of uris) if (typeof uri === 'string') await this.view.subscribe(uri, context);
    const result = await this.#subscriptions.listen(line, filter);
    for (const uri of uris)
      if (typeof uri === 'string') await this.view.unsubscribe(uri, context).catch(() => undefined);
    return result;
  }

  async #initialize(params: JsonObject): Promise<Result> {
    this.#era = 'legacy';
    this.#client = { info: objectOf(params['clientInfo']), capabilities: objectOf(params['capabilities']) };
    const wanted = params['protocolVersion'];
    const { serverInfo, capabilities, instructions } = await this.view.introduce();
    return {
      protocolVersion: typeof wanted === 'string' && legacyVersions.includes(wanted) ? wanted : latestLegacyVersion,
      capabilities,
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    };
  }

  async #dispatch(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const list = lists.get(method);
    if (list !== undefined) return { [list]: await this.view.list(list) };
    switch (method) {
      case 'ping':
        return {};
      case 'tools/call':
        return this.#callTool(params, context);
      case 'resources/read':
        return this.view.readResource(params, context);
      case 'resources/subscribe':
        return this.view.subscribe(String(params['uri']), context);
      case 'resources/unsubscribe':
        return this.view.unsubscribe(String(params['uri']), context);
      case 'prompts/get':
        return this.view.getPrompt(params, context);
      case 'completion/complete':
        return this.view.complete(params, context);
      case 'logging/setLevel':
        this.#logLevel = String(params['level']);
        await this.view.setLogLevel(this.#logLevel, context);
        return {};
      default:
        return this.view.other(method, params, context);
    }
  }

  /** What a model can act on comes back as a result; only a tool that does not exist is an error of the protocol. */
  async #callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    this.#calls++;
    try {
      return await this.view.callTool(params, context);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
      if (error.code === 'tool_not_found') throw new RpcError(rpcCode.invalidParams, error.text);
      return errorResult(error);
    }
  }

  #context(
    params: JsonObject,
    line: RequestLine,
    askClient: CallerContext['askClient'],
    modern: boolean,
  ): CallerContext {
    const meta = metaOf(params);
    const token = meta['progressToken'];
    const level = modern ? meta[metaKey.logLevel] : this.#logLevel;
    return {
      sessionId: this.id,
      app: this.app,
      mode: this.view.mode,
      clientInfo: this.#client.info,
      clientCapabilities: this.#client.capabilities,
      signal: line.signal,
      onProgress:
        token === undefined
          ? undefined
          : (progress) => line.notify('notifications/progress', { ...progress, progressToken: token }),
      onLog: (log) => {
        if (modern ? level !== undefined : this.#passesLevel('notifications/message', log))
          line.notify('notifications/message', log);
      },
      logLevel: typeof level === 'string' ? level : undefined,
      askClient,
      acceptsInputRequired: modern,
    };
  }

  #ask(method: string, params: JsonObject, relatedRequestId: RequestId, signal: AbortSignal): Promise<Result> {
    if (typeof params['elicitationId'] === 'string') this.#elicitations.add(params['elicitationId']);
    return this.#options.ask(method, params, relatedRequestId, signal);
  }

  #passesLevel(method: string, params: JsonObject): boolean {
    if (method !== 'notifications/message' || this.#logLevel === undefined) return true;
    const [given, least] = [levels.indexOf(String(params['level'])), levels.indexOf(this.#logLevel)];
    return given < 0 || given >= least;
  }
}

/** MCP's logging levels (RFC 5424), least severe first. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Methods of 2026-07-28 whose server may want input in between. */
const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Gone in 2026-07-28. */
const legacyOnly: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

function pick({ signal, notify }: Round): Round {
  return { signal, notify };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function unsupportedVersion(requested: unknown): RpcError {
  return new RpcError(
    rpcCode.unsupportedProtocolVersion,
    `Unsupported protocol version: ${JSON.stringify(requested)}`,
    {
      supported: ['2026-07-28'],
      requested,
    },
  );
}
