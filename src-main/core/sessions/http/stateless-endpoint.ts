/** HTTP of 2026-07-28: every request is independent and has its own response. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientRequest } from '../../activity/ledger/client-request.ts';
import type { LedgerSession } from '../../activity/ledger/ledger-session.ts';
import type { Ledger } from '../../activity/ledger/ledger.ts';
import { AppError } from '../../base/errors.ts';
import { toText, isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogChange } from '../../catalog/live-catalog.ts';
import { type Principal, recordedUser } from '../../security/principal.ts';
import { paramMismatch } from '../../servers/param-headers.ts';
import { metaKeys, metaOf } from '../../wire/protocol-kind.ts';
import { type Message, type Result, rpcCode, type RpcRequest } from '../../wire/message.ts';
import { ClientRequestQueue } from '../caller-context.ts';
import { toStatelessResult } from '../stateless-results.ts';
import type { ParkedCalls } from '../parked-calls.ts';
import type { SessionView } from '../session-view.ts';
import { Session } from '../session.ts';
import {
  acceptedFilter,
  subscribedUris,
  Subscriptions,
  taskNotification,
  requestedTaskIds,
  withTasks,
} from '../subscriptions.ts';
import type { EventStreams } from './event-stream.ts';
import { httpRefusal, sendRefusal } from './http-io.ts';
import { StatelessResponse } from './stateless-response.ts';
import type { RequestIds } from './request-ids.ts';

interface ModernEndpointOptions {
  /** Unique key of the endpoint: token, path, and the client app if it names itself. */
  readonly key: string;
  readonly principal: Principal;
  readonly app: string | undefined;
  readonly view: SessionView;
  readonly parked: ParkedCalls;
  readonly requestIds: RequestIds;
  readonly ledger: Ledger;
  /** Receives a promise for each result that an app has yet to fetch. */
  readonly awaited: (until: Promise<void>) => void;
}

/** Methods of the revision. An error of one of these is only the response; any other error is also an HTTP status. */
const known: ReadonlySet<string> = new Set([
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  ...['skills/list', 'skills/get', 'resources/directory/read'],
  'completion/complete',
  ...['tasks/get', 'tasks/update', 'tasks/cancel'],
]);

export class StatelessEndpoint {
  readonly view: SessionView;
  readonly #options: ModernEndpointOptions;
  readonly #meter: ModernMeter;
  readonly #questions = new ClientRequestQueue();
  readonly #subscriptions = new Subscriptions();
  /** Pending responses, except streams of changes. */
  readonly #responses = new Map<number, StatelessResponse>();
  /** Number of streams subscribed to each resource. */
  readonly #subscribed = new Map<string, number>();

  constructor(options: ModernEndpointOptions) {
    this.#options = options;
    this.view = options.view;
    this.#meter = new ModernMeter(options.ledger, () => options.view.mode, recordedUser(options.principal));
  }

  /** Handles a request whose headers and metadata have been checked. Never rejects. */
  async serve(
    message: RpcRequest,
    request: IncomingMessage,
    response: ServerResponse,
    streams: EventStreams,
  ): Promise<void> {
    const { method, id } = message;
    const params = objectOrEmpty(message.params);
    if (method === 'tools/call') {
      const fault = this.#headerFault(params, request);
      if (fault !== undefined) return sendRefusal(response, httpRefusal(400, rpcCode.headerMismatch, fault, id));
    }
    const client = clientName(params);
    const { exchange, sent, gaveUp } = this.#meter.open(this.#options.app ?? client, client, method, params);
    const answer = new StatelessResponse(response, id, streams, sent);
    try {
      if (method === 'subscriptions/listen') return answer.result(await this.#listen(params, id, answer));
      this.#responses.set(exchange.id, answer);
      exchange.canceller = answer;
      answer.result(await this.#handle(method, params, client, id, answer, exchange));
    } catch (error) {
      answer.error(error, known.has(method));
    } finally {
      this.#responses.delete(exchange.id);
      gaveUp();
    }
  }

  /** Whether a request is pending or a client is subscribed. */
  get isBusy(): boolean {
    return this.#responses.size > 0 || this.#subscriptions.isOpen;
  }

  announce(change: CatalogChange): void {
    const changed = this.view.changedLists(change);
    for (const list of ['tools', 'prompts', 'resources'] as const)
      if (changed[list]) this.#subscriptions.publish(`notifications/${list}/list_changed`, {});
  }

  resourceUpdated(uri: string): void {
    if (this.#subscribed.has(uri)) this.#subscriptions.publish('notifications/resources/updated', { uri });
  }

  /** Publishes a task notification as the view received it from the server. */
  notifyTask(params: JsonObject): void {
    this.#subscriptions.publish(taskNotification, params);
  }

  /** Ends all responses: streams with a final message, others as abandoned. */
  close(): void {
    this.view.end?.();
    this.#subscriptions.end();
    for (const answer of this.#responses.values()) answer.abandon();
    this.#meter.end();
  }

  /** Returns a mismatch between headers and arguments: intermediaries may rely on the headers. */
  #headerFault(params: JsonObject, { headers }: IncomingMessage): string | undefined {
    const tool = this.view.toolWithHeaders(toText(params['name']));
    const fault = tool && paramMismatch(tool, params['arguments'], headers);
    return fault === undefined ? undefined : `The headers and the body of the request disagree: ${fault}`;
  }

  #handle(
    method: string,
    params: JsonObject,
    client: string,
    id: string | number,
    { signal, notify }: StatelessResponse,
    exchange: ClientRequest,
  ): Promise<Result> {
    const { key, principal, app, view, parked, requestIds, awaited } = this.#options;
    const memoryId = `${key} ${client}`;
    return requestIds.use({ key: memoryId, isShared: principal.isShared }, (sessionId, hold) => {
      const session = new Session({
        id: sessionId,
        app,
        view,
        parked,
        principalOf: () => principal,
        notify: () => undefined,
        ask: asksNobody,
        hold,
        awaited,
        questions: this.#questions,
        memoryId,
      });
      return session.handle(method, params, { id, signal, notify, exchange });
    });
  }

  /** Stays open until the app disconnects or the core stops; subscribes and unsubscribes the servers accordingly. */
  async #listen(params: JsonObject, id: string | number, { signal, notify }: StatelessResponse): Promise<Result> {
    const { serverInfo, capabilities: announced } = await this.view.introduce();
    const filter = acceptedFilter(params['notifications'], announced);
    this.view.watch();
    const uris = subscribedUris(filter);
    const context = this.#subscriber(params);
    const capabilities = objectOrEmpty(metaOf(params)[metaKeys.clientCapabilities]);
    const listener = {
      ...context,
      clientCapabilities: capabilities,
      memoryId: `${this.#options.key} ${clientName(params)}`,
    };
    const tasks = this.view.subscribeTasks(requestedTaskIds(params['notifications']), listener);
    const line = { id, signal, notify };
    for (const uri of uris) {
      this.#subscribed.set(uri, (this.#subscribed.get(uri) ?? 0) + 1);
      this.view.subscribe(uri, context).catch(() => undefined);
    }
    try {
      const over = this.#subscriptions.listen(line, withTasks(filter, tasks));
      tasks.begin((state) => this.#subscriptions.notifyTask(line, state));
      return toStatelessResult('subscriptions/listen', await over, serverInfo);
    } finally {
      tasks.end();
      for (const uri of uris) this.#release(uri, context);
    }
  }

  #release(uri: string, context: CallerContext): void {
    const left = (this.#subscribed.get(uri) ?? 1) - 1;
    if (left > 0) this.#subscribed.set(uri, left);
    else {
      this.#subscribed.delete(uri);
      this.view.unsubscribe(uri, context).catch(() => undefined);
    }
  }

  /** One subscriber for the whole endpoint, whose streams are counted here. */
  #subscriber(params: JsonObject): CallerContext {
    return {
      principal: this.#options.principal,
      sessionId: `${this.#options.key} streams`,
      app: this.#options.app ?? clientName(params),
      mode: this.view.mode,
      clientInfo: {},
      clientCapabilities: {},
      signal: new AbortController().signal,
      onLog: () => undefined,
      askClient: asksNobody,
      acceptsInputRequired: true,
    };
  }
}

function asksNobody(): Promise<never> {
  return Promise.reject(new AppError('unsupported', 'Requests to the client are only possible during a call.'));
}

function clientName(params: JsonObject): string {
  const info = metaOf(params)[metaKeys.clientInfo];
  return isObject(info) && typeof info['name'] === 'string' ? info['name'] : 'unknown';
}

// The ledger at an endpoint of 2026-07-28, where the requests of one app count as a session until it is silent for
// long.

const sessionTimeoutMs = 30 * 60_000;
const maxApps = 50;

interface MeteredRequest {
  readonly exchange: ClientRequest;
  readonly sent: (message: Message) => void;
  /** Called when the client cancels the request; has no effect after the response was sent. */
  readonly gaveUp: () => void;
}

interface Open {
  readonly session: LedgerSession;
  seenAt: number;
}

class ModernMeter {
  readonly #ledger: Ledger;
  readonly #mode: () => string;
  readonly #user: string | undefined;
  readonly #sessions = new Map<string, Open>();

  constructor(ledger: Ledger, mode: () => string, user?: string) {
    this.#ledger = ledger;
    this.#mode = mode;
    this.#user = user;
  }

  /** Opens the record of a request; `client` is the app's name for itself, `sent` receives each message sent for it. */
  open(app: string, client: string, method: string, params: JsonObject): MeteredRequest {
    const session = this.#sessionOf(app, client, method);
    const exchange = session.onRequest(method, params);
    return {
      exchange,
      sent: (message) => {
        if (!('method' in message)) return session.onSent(message, exchange);
        if (message.method === 'notifications/progress') exchange.noteProgress(message.params ?? {});
        session.onSent(message, undefined);
      },
      gaveUp: () => session.onCancelled(exchange),
    };
  }

  end(): void {
    for (const { session } of this.#sessions.values()) session.end();
    this.#sessions.clear();
  }

  /** A `server/discover` starts a new session. */
  #sessionOf(app: string, client: string, method: string): LedgerSession {
    const key = JSON.stringify([app, client]);
    const known = this.#sessions.get(key);
    const now = Date.now();
    if (known !== undefined && method !== 'server/discover' && now - known.seenAt < sessionTimeoutMs) {
      known.seenAt = now;
      return known.session;
    }
    known?.session.end();
    this.#evictOldest();
    const session = this.#ledger.open({
      id: randomUUID(),
      user: this.#user,
      who: () => ({ app, mode: this.#mode(), client }),
    });
    this.#sessions.set(key, { session, seenAt: now });
    return session;
  }

  #evictOldest(): void {
    if (this.#sessions.size < maxApps) return;
    const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.seenAt - b.seenAt);
    if (oldest === undefined) return;
    oldest[1].session.end();
    this.#sessions.delete(oldest[0]);
  }
}
