/**
 * The session of one client app: handles its requests in the app's protocol, and keeps its state separate from other
 * sessions.
 */
import { listMethods } from '../activity/ledger/baseline.ts';
import { AppError } from '../base/errors.ts';
import { toText, type JsonObject, objectOrEmpty } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import { errorResult } from '../calls/error-result.ts';
import type { CatalogChange, LiveCatalog } from '../catalog/live-catalog.ts';
import type { Principal } from '../security/principal.ts';
import { isDeclared } from '../servers/extension-set.ts';
import type { ListKey } from '../servers/listing.ts';
import {
  type ProtocolKind,
  isStatelessRequest,
  latestStatefulVersion,
  statefulVersions,
  metaKeys,
  metaOf,
} from '../wire/protocol-kind.ts';
import { type RequestId, type Result, rpcCode, RpcError } from '../wire/message.ts';
import { scalarOf } from '../wire/raw-json.ts';
import type { Presence } from '../wire/transport.ts';
import {
  type AskClient,
  restrictToCapabilities,
  type Caller,
  callerContext,
  LogFilter,
  type RequestScope,
  ClientRequestQueue,
} from './caller-context.ts';
import {
  discoverResult,
  statefulOnlyMethods,
  inputCapableMethods,
  toStatelessResult,
  unsupportedVersionError,
} from './stateless-results.ts';
import { type ParkedCallOwner, ParkedCalls, type RequestRound } from './parked-calls.ts';
import { checkNames } from './request-limits.ts';
import type { SessionView } from './session-view.ts';
import { type OpenView, ViewsByApp } from './views/views-by-app.ts';
import { acceptedFilter, subscribedUris, Subscriptions, requestedTaskIds, withTasks } from './subscriptions.ts';

export interface SessionOptions {
  readonly id: string;
  /** The client app's name, if the connection states it (`--app`, endpoint); otherwise clientInfo names it. */
  readonly app: string | undefined;
  readonly view: SessionView;
  /**
   * Opens the view for a client app that only `initialize` names, or describes further (`capabilities`). Throws
   * AppError
   * `mode_unknown`.
   */
  readonly viewOf?: OpenView | undefined;
  readonly parked: ParkedCalls;
  /** The principal for the app's name; undefined if it has not stated one. */
  readonly principalOf: (app: string | undefined) => Principal;
  /** Sends a notification outside of any request. */
  readonly notify: (method: string, params: JsonObject) => void;
  /** Sends a request to the client app (stateful protocol). */
  readonly ask: (
    method: string,
    params: JsonObject,
    relatedRequestId: RequestId,
    signal: AbortSignal,
  ) => Promise<Result>;
  /** Whether the client app is still present; undefined: as long as the session is open. */
  readonly presence?: Pick<Presence, 'isHere'> | undefined;
  /** For sessions of one request: reserves the id until the promise settles. */
  readonly hold?: ((until: Promise<unknown>) => void) | undefined;
  /** Receives a promise for a result that the client app has yet to fetch. */
  readonly awaited?: ((until: Promise<void>) => void) | undefined;
  /** For sessions of one request: the queue shared by all requests of the client app. */
  readonly questions?: ClientRequestQueue | undefined;
  /** For sessions of one request: key of the data-flow memory. */
  readonly memoryId?: string | undefined;
}

const maxElicitations = 1000;

interface Client {
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
}

export class Session {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #subscriptions = new Subscriptions();
  readonly #elicitations = new RecentIds(maxElicitations);
  readonly #log = new LogFilter();
  readonly #list = new StaleListDetector();
  readonly #questions: ClientRequestQueue;
  #client: Client = { info: {}, capabilities: {} };
  #principal: Principal;
  readonly #views: ViewsByApp;
  #view: SessionView;
  #era: ProtocolKind | undefined;
  #version: string | undefined;
  #calls = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.#view = options.view;
    this.#questions = options.questions ?? new ClientRequestQueue();
    this.#views = new ViewsByApp(options.view, options.viewOf);
    this.#principal = options.principalOf(options.app);
  }

  get view(): SessionView {
    return this.#view;
  }

  get app(): string {
    return this.#options.app ?? this.client;
  }

  /** Whether the session shows, or showed, what that app is shown. */
  servesApp(app: string): boolean {
    return this.app === app || this.#views.has(app);
  }

  /** Whether the session shows this catalog, or did for an earlier request. */
  usesCatalog(catalog: LiveCatalog): boolean {
    return this.#views.all.some((view) => view.catalog === catalog);
  }

  /** The client's name from its handshake. */
  get client(): string {
    const { name } = this.#client.info;
    return typeof name === 'string' ? name : 'unknown';
  }

  /** Capabilities declared in the handshake, or in the last request (2026-07-28). */
  get capabilities(): JsonObject {
    return this.#client.capabilities;
  }

  /** Whether its client app has not disconnected silently, which is possible over HTTP. */
  get isHere(): boolean {
    return this.#options.presence?.isHere ?? true;
  }

  get protocol(): ProtocolKind | undefined {
    return this.#era;
  }

  /** Whether the client app was notified of new tools and continues with the old list. */
  get hasStaleList(): boolean {
    return this.#list.stale;
  }

  /** Number of tool calls. */
  get calls(): number {
    return this.#calls;
  }

  /** Handles a request. Rejects with RpcError, or with AppError for the connection to convert. */
  async handle(method: string, params: JsonObject, line: RequestScope): Promise<Result> {
    if (isStatelessRequest(params)) return await this.#handleModern(method, params, line);
    this.#era ??= 'legacy';
    if (method === 'initialize') return this.#initialize(params);
    if (method === 'server/discover') throw new RpcError(rpcCode.methodNotFound, 'Method not found: server/discover');
    const ask: AskClient = (method, input, signal) => this.#put(line.id)(method, input, signal);
    return await this.#answer(method, params, this.#context(params, line, ask, this.#log));
  }

  /** Handles a notification of the client app. */
  onNotification(method: string, params: JsonObject): void {
    if (method === 'notifications/initialized' || !isDeclared(method, this.capabilities)) return;
    this.view.onNotification(method, params, this.id);
  }

  /** Notifies the client app that lists it may hold are out of date. */
  announce(change: CatalogChange): void {
    const changed = this.view.changedLists(change);
    if (changed.tools && this.notify('notifications/tools/list_changed', {})) this.#list.onListChanged(Date.now());
    if (changed.resources) this.notify('notifications/resources/list_changed', {});
    if (changed.prompts) this.notify('notifications/prompts/list_changed', {});
  }

  /**
   * Sends a notification outside of any request: to open subscriptions (2026-07-28), or directly. Returns whether it
   * was sent.
   */
  notify(method: string, params: JsonObject): boolean {
    if (this.#era === 'modern') return this.#subscriptions.publish(method, params);
    if (this.#era !== 'legacy' || !this.#log.passes(method, params)) return false;
    this.#options.notify(method, params);
    return true;
  }

  /** Whether this client app was sent to the URL of this elicitation. */
  knowsElicitation(id: unknown): boolean {
    return typeof id === 'string' && this.#elicitations.has(id);
  }

  end(): void {
    this.#subscriptions.end();
    this.#views.end();
  }

  async #handleModern(method: string, params: JsonObject, line: RequestScope): Promise<Result> {
    const meta = metaOf(params);
    const version = meta[metaKeys.protocolVersion];
    this.#era = 'modern';
    this.#meet({
      info: objectOrEmpty(meta[metaKeys.clientInfo]),
      capabilities: objectOrEmpty(meta[metaKeys.clientCapabilities]),
    });
    const introduction = await this.view.introduce();
    if (version !== '2026-07-28') throw unsupportedVersionError(version);
    this.#version = version;
    if (method === 'server/discover') return discoverResult(introduction);
    if (method === 'subscriptions/listen') return this.#listen(params, line);
    if (statefulOnlyMethods.has(method)) throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
    const result = inputCapableMethods.has(method)
      ? await this.#parkable(method, params, line)
      : await this.#plain(method, params, line);
    return toStatelessResult(method, result, introduction.serverInfo);
  }

  /** Selects the view by the client's own name, from its handshake or each request (2026-07-28), unless it was set. */
  #meet(client: Client): void {
    const { app, principalOf } = this.#options;
    const { name } = client.info;
    if (app === undefined && name !== this.#client.info['name'])
      this.#principal = principalOf(typeof name === 'string' ? name : undefined);
    this.#client = client;
    this.#view = this.#views.of(app === undefined ? name : undefined, client.capabilities);
  }

  #countCall(): void {
    this.#calls++;
    this.#list.onCall(Date.now());
  }

  /** Advice for the model if its client app lists tools that no longer exist. */
  #advice(): string {
    if (!this.#list.waiting) return '';
    const { ownTools } = this.view;
    const instead = ownTools.length === 0 ? '' : ` Available now: ${ownTools.join(', ')}.`;
    return `The list of tools has changed. List the tools again.${instead}`;
  }

  #plain(method: string, params: JsonObject, line: RequestScope): Promise<Result> {
    return this.#answer(method, params, this.#context(params, line, asksNobody(method)));
  }

  async #parkable(method: string, params: JsonObject, line: RequestScope): Promise<Result> {
    const { parked } = this.#options;
    const asker = this.#asker;
    const { requestState, inputResponses } = params;
    const round = { ...line, progressToken: metaOf(params)['progressToken'] };
    if (ParkedCalls.isOwnState(requestState)) return await parked.resume(asker, round, requestState, inputResponses);
    let going: Promise<Result> | undefined;
    const answer = await parked.start(asker, round, (call) => {
      const ask = restrictToCapabilities(this.#client.capabilities, this.#questions.withLimits(call.ask));
      going = this.#answer(method, params, this.#context(params, { ...line, ...pick(call) }, ask));
      return going;
    });
    // A parked call keeps its connection to the server, because requests of the server there concern this call.
    if (going !== undefined && scalarOf(answer, 'resultType') === 'input_required') this.#options.hold?.(going);
    return answer;
  }

  get person(): Pick<Principal, 'user'> {
    return this.#principal;
  }

  isOfPerson({ user }: Pick<Principal, 'user'>): boolean {
    return this.#principal.user === user;
  }

  /** Owner of the parked calls: this session, or the key that stands for it if the session is a single request. */
  get #asker(): ParkedCallOwner {
    const { owner } = this.#principal;
    return { key: JSON.stringify([owner, this.#options.memoryId ?? this.id]) };
  }

  async #listen(params: JsonObject, line: RequestScope): Promise<Result> {
    const { capabilities } = await this.view.introduce();
    const filter = acceptedFilter(params['notifications'], capabilities);
    const uris = subscribedUris(filter);
    const context = this.#context(params, line, asksNobody('subscriptions/listen'));
    const tasks = this.view.subscribeTasks(requestedTaskIds(params['notifications']), context);
    const subscribed: string[] = [];
    this.view.watch();
    try {
      for (const uri of uris) {
        await this.view.subscribe(uri, context);
        subscribed.push(uri);
      }
      const over = this.#subscriptions.listen(line, withTasks(filter, tasks));
      tasks.begin((state) => this.#subscriptions.notifyTask(line, state));
      return await over;
    } finally {
      tasks.end();
      for (const uri of subscribed) await this.view.unsubscribe(uri, context).catch(() => undefined);
    }
  }

  async #initialize(params: JsonObject): Promise<Result> {
    this.#era = 'legacy';
    this.#meet({ info: objectOrEmpty(params['clientInfo']), capabilities: objectOrEmpty(params['capabilities']) });
    const wanted = params['protocolVersion'];
    const { serverInfo, capabilities, instructions, rest } = await this.view.introduce();
    this.#version = typeof wanted === 'string' && statefulVersions.includes(wanted) ? wanted : latestStatefulVersion;
    return {
      ...rest,
      protocolVersion: this.#version,
      capabilities,
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    };
  }

  #answer(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    if (method === 'tools/list') this.#list.onListed();
    if (method === 'tools/call') this.#countCall();
    checkNames(params);
    if (method === 'logging/setLevel') this.#log.level = toText(params['level']);
    return dispatch(this.view, method, params, context, () => this.#advice());
  }

  /** `log`: see callerContext. */
  #context(params: JsonObject, line: RequestScope, ask: AskClient, log?: LogFilter): CallerContext {
    const { info, capabilities } = this.#client;
    const caller: Caller = {
      principal: this.#principal,
      sessionId: this.id,
      app: this.app,
      mode: this.view.mode,
      clientInfo: info,
      clientCapabilities: capabilities,
      protocolVersion: this.#version,
      onToolsChanged: () => this.announce({ tools: true, resources: false, prompts: false }),
      holdSession: this.#options.hold,
      awaited: this.#options.awaited,
      memoryId: this.#options.memoryId,
    };
    return callerContext(caller, params, line, ask, log);
  }

  /** Created on demand, because few requests receive questions. */
  #put(relatedRequestId: RequestId): AskClient {
    const put = this.#questions.withLimits((method, input, signal) =>
      this.#ask(method, input, relatedRequestId, signal),
    );
    return restrictToCapabilities(this.#client.capabilities, put);
  }

  #ask(method: string, params: JsonObject, relatedRequestId: RequestId, signal: AbortSignal): Promise<Result> {
    if (typeof params['elicitationId'] === 'string') this.#elicitations.add(params['elicitationId']);
    return this.#options.ask(method, params, relatedRequestId, signal);
  }
}

function asksNobody(method: string): AskClient {
  return () =>
    Promise.reject(new RpcError(rpcCode.methodNotFound, `${method} does not support requests to the client.`));
}

function pick({ signal, notify }: RequestRound): RequestRound {
  return { signal, notify };
}

// Detects a client app that was notified of a new list of tools and keeps using the old one; some never list again.

/** An app that listens lists again at once; until then calls may be on their way. */
const maxStaleCalls = 3;
const staleTimeoutMs = 10_000;

export class StaleListDetector {
  #notifiedAt: number | undefined;
  #calls = 0;
  #stale = false;

  /** Whether it was notified and has not listed since. */
  get waiting(): boolean {
    return this.#notifiedAt !== undefined;
  }

  /** Whether it ignores notifications. */
  get stale(): boolean {
    return this.#stale;
  }

  onListChanged(now: number): void {
    this.#notifiedAt ??= now;
  }

  onCall(now: number): void {
    if (this.#notifiedAt === undefined) return;
    this.#calls++;
    this.#stale ||= this.#calls >= maxStaleCalls || now - this.#notifiedAt >= staleTimeoutMs;
  }

  onListed(): void {
    this.#notifiedAt = undefined;
    this.#calls = 0;
    this.#stale = false;
  }
}

/** A bounded set of ids: the oldest is forgotten first. */
class RecentIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}

// Maps methods to parts of a view, for both protocols.

/**
 * Rejects with RpcError, or with AppError for the connection to convert; may throw them. `advice` is for callers of an
 * unknown tool.
 */
function dispatch(
  view: SessionView,
  method: string,
  params: JsonObject,
  context: CallerContext,
  advice: () => string,
): Promise<Result> {
  const list = listMethods.get(method);
  if (list !== undefined) return listed(view, list, context);
  switch (method) {
    case 'ping':
      return Promise.resolve({});
    case 'tools/call':
      return callTool(view, params, context, advice);
    case 'resources/read':
      return view.readResource(params, context);
    case 'resources/subscribe':
      return view.subscribe(toText(params['uri']), context);
    case 'resources/unsubscribe':
      return view.unsubscribe(toText(params['uri']), context);
    case 'prompts/get':
      return view.getPrompt(params, context);
    case 'completion/complete':
      return view.complete(params, context);
    case 'logging/setLevel':
      return view.setLogLevel(toText(params['level']), context).then(() => ({}));
    default:
      return view.forwardRequest(method, params, context);
  }
}

async function listed(view: SessionView, list: ListKey, context: CallerContext): Promise<Result> {
  return { [list]: await view.list(list, context.acceptsInputRequired ? 'modern' : 'legacy') };
}

/** Returns errors that a model can act on as results; only an unknown tool is a protocol error. */
async function callTool(
  view: SessionView,
  params: JsonObject,
  context: CallerContext,
  advice: () => string,
): Promise<Result> {
  try {
    return await view.callTool(params, context);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    if (error.code === 'tool_not_found') throw new RpcError(rpcCode.invalidParams, `${error.text} ${advice()}`.trim());
    return errorResult(error);
  }
}
