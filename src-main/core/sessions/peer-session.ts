/** A session on a bidirectional connection of its own: the shim's socket, stdin and stdout, stateful HTTP. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Canceller, ClientRequest } from '../activity/ledger/client-request.ts';
import type { LedgerSession } from '../activity/ledger/ledger-session.ts';
import type { Ledger } from '../activity/ledger/ledger.ts';
import type { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { type AuthInfo, principalOf, recordedUser } from '../security/principal.ts';
import { isNotification, isRequest, type Message, openId, ownId, type RequestId } from '../wire/message.ts';
import { Peer, type PeerHandlers } from '../wire/peer.ts';
import type { SendOptions, Transport, TransportHandlers } from '../wire/transport.ts';
import { cancelledResponse, cancelledByUser } from './cancelled-response.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { Session, SessionOptions } from './session.ts';

interface PeerSessionOptions extends Omit<SessionOptions, 'id' | 'notify' | 'ask' | 'principalOf'> {
  readonly letIn: AuthInfo;
  readonly registry: SessionRegistry;
  readonly transport: Transport;
  readonly ledger: Pick<Ledger, 'open'>;
  readonly onWarning: (text: string) => void;
  readonly onEnd?: () => void;
}

/** Maximum number of pending requests of one client app. */
const maxOpenRequests = 1000;

/** Ends a session; pending requests are answered with `why`. */
type EndSession = (why: AppError) => Promise<void>;

interface ServedSession {
  readonly session: Session;
  readonly end: EndSession;
}

/** Opens the session and serves it until its connection ends. */
export async function serveSession({
  registry,
  transport,
  ledger,
  onWarning,
  onEnd,
  letIn,
  ...options
}: PeerSessionOptions): Promise<ServedSession> {
  const id = randomUUID();
  const counted = ledger.open({
    id,
    user: recordedUser(principalOf(letIn.credential, undefined, letIn.session ?? id)),
    who: () => ({ app: session.app, mode: session.view.mode, client: session.client }),
  });
  const line = new MeteredTransport(transport, counted);
  const handlers: PeerHandlers = {
    onRequest: (method, params, { id: requestId, signal }) => {
      const exchange = line.exchange(requestId);
      return session.handle(method, params, { id: requestId, signal, notify: notifier(requestId), exchange });
    },
    onNotification: (method, params) => session.onNotification(method, params),
    onClose: () => {
      ignorePresence?.();
      void registry.end(session);
      onEnd?.();
    },
    onWarning,
  };
  // The shim outlives a restart of the core, so a response meant for the previous core must not match our ids.
  const peer: Peer = new Peer(line, handlers, {
    firstId: randomInt(1_000_000) * 1_000_000,
    open: { most: maxOpenRequests, beyond: 'refuse' },
  });
  const notifier =
    (relatedRequestId: string | number) =>
    (method: string, params: JsonObject): void =>
      peer.notify(method, params, { relatedRequestId });
  const { presence } = transport;
  const ignorePresence = presence?.changed.on(() => registry.changed.emit());
  const session: Session = registry.open({
    ...options,
    id,
    presence,
    awaited: (until) => transport.expectPickup?.(until),
    principalOf: (app) => principalOf(letIn.credential, app, letIn.session ?? id),
    notify: (method, params) => peer.notify(method, params),
    ask: (method, params, relatedRequestId, signal) => peer.request(method, params, { relatedRequestId, signal }),
  });
  await peer.start();
  return { session, end: (why) => peer.closeWithError(why) };
}

/** How long a refused connection stays open for requests sent together with the first one, in ms. */
const rejectTimeoutMs = 200;

/**
 * Answers every request on a connection with the reason for the refusal, and soon closes it; the client may then
 * retry.
 */
export async function rejectSession(transport: Transport, why: AppError): Promise<void> {
  let ending: NodeJS.Timeout | undefined;
  const peer = new Peer(transport, {
    onRequest: () => {
      ending ??= setTimeout(() => void peer.closeWithError(why), rejectTimeoutMs);
      return Promise.reject(why);
    },
    onNotification: () => undefined,
    onClose: () => clearTimeout(ending),
  });
  await peer.start();
}

// A client app's connection whose requests and sent frames are reported to the ledger.

class MeteredTransport implements Transport, Canceller {
  readonly #line: Transport;
  readonly #ledger: LedgerSession;
  readonly #open = new Map<RequestId, ClientRequest>();
  /** Requests of Tooltray that the app has not answered. */
  readonly #questions = new Map<RequestId, ClientRequest>();
  #handlers: TransportHandlers | undefined;

  constructor(line: Transport, ledger: LedgerSession) {
    this.#line = line;
    this.#ledger = ledger;
  }

  /** The pending request with this id. */
  exchange(id: RequestId): ClientRequest | undefined {
    return this.#open.get(id);
  }

  start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    return this.#line.start({
      onMessage: (message, origin) => {
        this.#onMessage(message);
        handlers.onMessage(message, origin);
      },
      onClose: (error) => {
        for (const exchange of [...this.#open.values(), ...this.#questions.values()])
          this.#ledger.onCancelled(exchange);
        this.#open.clear();
        this.#questions.clear();
        this.#ledger.end();
        handlers.onClose(error);
      },
      onWarning: (text) => handlers.onWarning(text),
    });
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    await this.#line.send(message, options);
    this.#sent(message);
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  setReadPaused(held: boolean): void {
    this.#line.setReadPaused?.(held);
  }

  #onMessage(message: Message): void {
    if (isRequest(message)) {
      // Two requests with one id are indistinguishable, so the first is abandoned.
      this.#giveUp(this.#open, message.id);
      const exchange = this.#ledger.onRequest(message.method, message.params ?? {});
      exchange.canceller = this;
      this.#open.set(message.id, exchange);
    } else if (!('method' in message)) {
      const question = take(this.#questions, ownId(message.id) as RequestId);
      if (question !== undefined) this.#ledger.onResponse(message, question);
    }
    // A cancelled request gets no response.
    else if (isNotification(message) && message.method === 'notifications/cancelled') {
      this.#giveUp(this.#open, openId(this.#open, message.params?.['requestId']));
    }
  }

  #giveUp(among: Map<RequestId, ClientRequest>, id: RequestId): void {
    const exchange = take(among, id);
    if (exchange !== undefined) this.#ledger.onCancelled(exchange);
  }

  /** Cancels as if the app had, except that the app still receives a response. */
  cancel(exchange: ClientRequest): void {
    const [id] = [...this.#open].find(([, open]) => open === exchange) ?? [];
    if (id === undefined) return;
    this.#handlers?.onMessage({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: cancelledByUser },
    });
    void this.send(cancelledResponse(id, exchange)).catch(() => undefined);
  }

  /** Records progress on the request with this token. */
  #noteProgress({ method, params = {} }: { readonly method: string; readonly params?: JsonObject | undefined }): void {
    if (method !== 'notifications/progress') return;
    for (const exchange of this.#open.values()) exchange.noteProgress(params);
  }

  #sent(message: Message): void {
    if ('method' in message) return this.#onRequestOrNotification(message);
    const { id } = message;
    this.#ledger.onSent(message, id === null ? undefined : take(this.#open, id));
  }

  /** A request of Tooltray, or a notification. */
  #onRequestOrNotification(message: Extract<Message, { readonly method: string }>): void {
    if (isRequest(message))
      this.#questions.set(message.id, this.#ledger.onRequest(message.method, message.params ?? {}));
    else {
      if (message.method === 'notifications/cancelled')
        this.#giveUp(this.#questions, message.params?.['requestId'] as RequestId);
      this.#noteProgress(message);
    }
    this.#ledger.onSent(message, undefined);
  }
}

/** Removes an entry and returns it. */
function take<K, V>(map: Map<K, V>, key: K): V | undefined {
  const value = map.get(key);
  map.delete(key);
  return value;
}
