/** HTTP of 2026-07-28: every request stands alone. The SDK checks headers and envelope and carries the streams. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler, ProtocolError, Server } from '@modelcontextprotocol/server';
import type { Exchange } from '../../activity/ledger/exchange.ts';
import type { Ledger } from '../../activity/ledger/ledger.ts';
import { AppError } from '../../base/errors.ts';
import { asText, isObject, type JsonObject, objectOf } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogChange } from '../../catalog/live-catalog.ts';
import { paramMismatch } from '../../servers/param-headers.ts';
import { metaKey, metaOf } from '../../wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { toErrorBody } from '../../wire/peer.ts';
import { toObject } from '../../wire/raw-json.ts';
import { SessionQuestions } from '../caller-context.ts';
import { ModernMeter } from '../metered-lines.ts';
import type { ParkedCalls } from '../parked-calls.ts';
import type { Introduction, SessionView } from '../session-view.ts';
import { Session, subscribedUris } from '../session.ts';
import { idOf, replyError, replyJson } from './http-io.ts';

interface ModernEndpointOptions {
  /** The path, and the client app where it names itself: parked calls are taken up where they were left. */
  readonly key: string;
  readonly app: string | undefined;
  readonly view: SessionView;
  readonly parked: ParkedCalls;
  readonly slots: SessionSlots;
  readonly ledger: Ledger;
}

/** Methods that the SDK routes; anything else is answered by the view itself, with the status the revision wants. */
const routed: ReadonlySet<string> = new Set([
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]);

export class ModernEndpoint {
  readonly view: SessionView;
  readonly #options: ModernEndpointOptions;
  readonly #handler: McpHttpHandler;
  readonly #serve: ReturnType<typeof toNodeHandler>;
  readonly #meter: ModernMeter;
  /** From the door to where the SDK asks us: the request that is being served. */
  readonly #questions = new SessionQuestions();
  readonly #exchange = new AsyncLocalStorage<Exchange>();
  #subscribed = new Map<string, number>();

  constructor(options: ModernEndpointOptions) {
    this.#options = options;
    this.view = options.view;
    this.#meter = new ModernMeter(options.ledger, () => options.view.mode);
    this.#handler = createMcpHandler(async () => this.#server(await options.view.introduce()), { legacy: 'reject' });
    this.#serve = toNodeHandler(this.#handler);
  }

  async serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const method = isObject(body) ? body['method'] : undefined;
    const params = objectOf(objectOf(body)['params']);
    const app = this.#options.app ?? clientName(params);
    const exchange = this.#meter.open(app, clientName(params), asText(method), params, response);
    await this.#exchange.run(exchange, () => this.#route(method, request, response, body));
  }

  async #route(method: unknown, request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    if (typeof method === 'string' && !routed.has(method) && isObject(body) && 'id' in body) {
      await this.#other(method, body, response);
      return;
    }
    if (method === 'tools/call' && this.#refuseHeaders(request, response, body)) return;
    if (method === 'subscriptions/listen') this.#holdSubscriptions(body, response);
    // The SDK's own shape of a Node request differs in optional members only.
    await this.#serve(request as never, response, body);
  }

  announce(change: CatalogChange): void {
    const changed = this.view.changedLists(change);
    if (changed.tools) this.#handler.notify.toolsChanged();
    if (changed.prompts) this.#handler.notify.promptsChanged();
    if (changed.resources) this.#handler.notify.resourcesChanged();
  }

  resourceUpdated(uri: string): void {
    if (this.#subscribed.has(uri)) this.#handler.notify.resourceUpdated(uri);
  }

  close(): Promise<void> {
    this.view.end?.();
    this.#meter.end();
    return this.#handler.close();
  }

  /** What stands between an app and a server may go by the headers, so they must say what the arguments say. */
  #refuseHeaders(request: IncomingMessage, response: ServerResponse, body: unknown): boolean {
    const params = objectOf(objectOf(body)['params']);
    const tool = this.view.toolWithHeaders(asText(params['name']));
    const fault = tool && paramMismatch(tool, params['arguments'], request.headers);
    if (fault === undefined) return false;
    const message = `The headers and the body of the request disagree: ${fault}`;
    replyError(response, 400, { code: rpcCode.headerMismatch, message }, idOf(body));
    return true;
  }

  #server(introduction: Introduction): Server {
    const { serverInfo, capabilities, instructions } = introduction;
    const server = new Server(serverInfo as never, {
      capabilities,
      ...(instructions !== undefined && { instructions }),
    });
    for (const method of ['logging/setLevel', 'ping']) server.removeRequestHandler(method);
    server.fallbackRequestHandler = async (request, { mcpReq }) => {
      const state = mcpReq.requestState();
      const params: JsonObject = {
        ...request.params,
        ...(mcpReq.inputResponses !== undefined && { inputResponses: mcpReq.inputResponses }),
        ...(state !== undefined && { requestState: state }),
        _meta: { ...metaOf(request.params), ...mcpReq.envelope },
      };
      const notify = (method: string, input: JsonObject): void =>
        void mcpReq.notify({ method, params: input }).catch(() => undefined);
      try {
        return toObject(await this.#handle(request.method, params, mcpReq.id, mcpReq.signal, notify));
      } catch (error) {
        const { code, message, data } = toErrorBody(error);
        throw new ProtocolError(code, message, data);
      }
    };
    return server;
  }

  #handle(
    method: string,
    params: JsonObject,
    id: string | number,
    signal: AbortSignal,
    notify: (method: string, params: JsonObject) => void,
  ): Promise<Result> {
    const { key, app, view, parked, slots } = this.#options;
    const client = `${key} ${clientName(params)}`;
    return slots.use(client, (sessionId, hold) => {
      const refuse = (): Promise<Result> =>
        Promise.reject(new AppError('unsupported', 'Nothing can be asked outside of a call.'));
      const session = new Session({
        id: sessionId,
        app,
        view,
        parked,
        principal: key,
        notify: () => undefined,
        ask: refuse,
        hold,
        questions: this.#questions,
        memoryId: client,
      });
      return session.handle(method, params, { id, signal, notify, exchange: this.#exchange.getStore() });
    });
  }

  /** Methods of servers that Tooltray does not know; an unknown one is 404 in this revision. */
  async #other(method: string, body: JsonObject, response: ServerResponse): Promise<void> {
    const id = idOf(body) ?? 0;
    const closed = new AbortController();
    response.on('close', () => closed.abort('the client went away'));
    try {
      const params = objectOf(body['params']);
      const result = await this.#handle(method, params, id, closed.signal, () => undefined);
      replyJson(response, 200, { jsonrpc: '2.0', id, result });
    } catch (error) {
      const known = toErrorBody(error);
      const status =
        error instanceof RpcError && error.code === -32601
          ? 404
          : error instanceof RpcError && error.code <= -32020 && error.code > -32030
            ? 400
            : 200;
      replyError(response, status, known, id);
    }
  }

  /** The SDK keeps the stream; the servers must hear what it is subscribed to, and when it ends. */
  #holdSubscriptions(body: unknown, response: ServerResponse): void {
    const params = objectOf(objectOf(body)['params']);
    const uris = subscribedUris(params);
    const context = this.#subscriber(params);
    for (const uri of uris) {
      this.#subscribed.set(uri, (this.#subscribed.get(uri) ?? 0) + 1);
      this.view.subscribe(uri, context).catch(() => undefined);
    }
    response.on('close', () => {
      for (const uri of uris) this.#release(uri, context);
    });
  }

  #release(uri: string, context: CallerContext): void {
    const left = (this.#subscribed.get(uri) ?? 1) - 1;
    if (left > 0) this.#subscribed.set(uri, left);
    else {
      this.#subscribed.delete(uri);
      this.view.unsubscribe(uri, context).catch(() => undefined);
    }
  }

  /** One subscriber for the whole endpoint: its streams are counted here. */
  #subscriber(params: JsonObject): CallerContext {
    return {
      sessionId: `${this.#options.key} streams`,
      app: this.#options.app ?? clientName(params),
      mode: this.view.mode,
      clientInfo: {},
      clientCapabilities: {},
      signal: new AbortController().signal,
      onLog: () => undefined,
      askClient: () => Promise.reject(new AppError('unsupported', 'Nothing can be asked outside of a call.')),
      acceptsInputRequired: true,
    };
  }
}

function clientName(params: JsonObject): string {
  const info = metaOf(params)[metaKey.clientInfo];
  return isObject(info) && typeof info['name'] === 'string' ? info['name'] : 'unknown';
}

// Session ids for requests that belong to no session (2026-07-28 over HTTP): each request in flight has one to itself, so
// that what a server asks can only be about that request; ids are used again, so that private connections are, too.

const idleMs = 5 * 60_000;

export class SessionSlots {
  readonly #busy = new Map<string, Set<number>>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  readonly #ended: (id: string) => void;

  /** `ended` is called with an id that was not used for five minutes. */
  constructor(ended: (id: string) => void) {
    this.#ended = ended;
  }

  /** `hold` keeps the id for something that goes on when the task is over. */
  async use<T>(key: string, task: (id: string, hold: (until: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    const busy = this.#busy.get(key) ?? new Set();
    this.#busy.set(key, busy);
    let slot = 0;
    while (busy.has(slot)) slot++;
    busy.add(slot);
    const id = `${key}#${slot}`;
    clearTimeout(this.#idle.get(id));
    const held: Promise<unknown>[] = [];
    const release = (): void => {
      busy.delete(slot);
      if (busy.size === 0) this.#busy.delete(key);
      this.#idle.set(id, this.#endLater(id));
    };
    try {
      return await task(id, (until) => held.push(until));
    } finally {
      if (held.length === 0) release();
      else void Promise.allSettled(held).then(release);
    }
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
  }

  #endLater(id: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#idle.delete(id);
      this.#ended(id);
    }, idleMs).unref();
  }
}
