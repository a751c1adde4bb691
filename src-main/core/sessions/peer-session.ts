/** A session on a line of its own that carries both directions: the shim's socket, stdin and stdout, legacy HTTP. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Ledger } from '../activity/ledger/ledger.ts';
import type { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { type LetIn, principalOf, userOnRecord } from '../security/principal.ts';
import { Peer, type PeerHandlers } from '../wire/peer.ts';
import type { Transport } from '../wire/transport.ts';
import { MeteredTransport } from './metered-lines.ts';
import type { Session, SessionOptions } from './session.ts';
import type { SessionRegistry } from './session-registry.ts';

interface PeerSessionOptions extends Omit<SessionOptions, 'id' | 'notify' | 'ask' | 'principalOf'> {
  readonly letIn: LetIn;
  readonly registry: SessionRegistry;
  readonly transport: Transport;
  readonly ledger: Pick<Ledger, 'open'>;
  readonly onOddity: (text: string) => void;
  readonly onEnd?: () => void;
}

/** Requests of one client app that are not answered yet. */
const mostOpen = 1000;

/** Ends a session from our side: what it waits for is answered with `why`. */
type EndSession = (why: AppError) => Promise<void>;

interface ServedSession {
  readonly session: Session;
  readonly end: EndSession;
}

/** Opens the session and serves it until its line ends. */
export async function servePeer({
  registry,
  transport,
  ledger,
  onOddity,
  onEnd,
  letIn,
  ...options
}: PeerSessionOptions): Promise<ServedSession> {
  const id = randomUUID();
  const counted = ledger.open({
    id,
    user: userOnRecord(principalOf(letIn.credential, undefined, letIn.session ?? id)),
    who: () => ({ app: session.app, mode: session.view.mode, client: session.client }),
  });
  const line = new MeteredTransport(transport, counted);
  const handlers: PeerHandlers = {
    onRequest: (method, params, { id: requestId, signal }) => {
      const exchange = line.exchange(requestId);
      return session.handle(method, params, { id: requestId, signal, notify: notifier(requestId), exchange });
    },
    onNotification: (method, params) => session.heard(method, params),
    onClose: () => {
      ignorePresence?.();
      void registry.end(session);
      onEnd?.();
    },
    onOddity,
  };
  // The shim keeps its client app over a restart of the core: an answer meant for the core before must not fit ours.
  const peer: Peer = new Peer(line, handlers, {
    firstId: randomInt(1_000_000) * 1_000_000,
    open: { most: mostOpen, beyond: 'refuse' },
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
    awaited: (until) => transport.awaited?.(until),
    principalOf: (app) => principalOf(letIn.credential, app, letIn.session ?? id),
    notify: (method, params) => peer.notify(method, params),
    ask: (method, params, relatedRequestId, signal) => peer.request(method, params, { relatedRequestId, signal }),
  });
  await peer.start();
  return { session, end: (why) => peer.dismiss(why) };
}

/** How long a refused line stays for what was asked together with the first request, in ms. */
const refusedMs = 200;

/** Answers whatever is asked on a line with the reason why it is not served, and soon ends it: who asks again may be served then. */
export async function refusePeer(transport: Transport, why: AppError): Promise<void> {
  let ending: NodeJS.Timeout | undefined;
  const peer = new Peer(transport, {
    onRequest: () => {
      ending ??= setTimeout(() => void peer.dismiss(why), refusedMs);
      return Promise.reject(why);
    },
    onNotification: () => undefined,
    onClose: () => clearTimeout(ending),
  });
  await peer.start();
}
