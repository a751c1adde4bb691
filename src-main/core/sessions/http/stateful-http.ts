/** Streamable HTTP of the stateful protocol: one session per `Mcp-Session-Id`. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { objectOrEmpty } from '../../base/json.ts';
import type { HttpSettings } from '../../config/app-config.ts';
import { statefulVersions } from '../../wire/protocol-kind.ts';
import { isRequest, type Message, rpcCode } from '../../wire/message.ts';
import type { Transport } from '../../wire/transport.ts';
import type { EventStreams } from './event-stream.ts';
import { httpRefusal, type HttpRefusal, sendRefusal, retryLater, writeEmpty } from './http-io.ts';
import { singleHeader } from './parse-inbound.ts';
import {
  StatefulHttpTransport,
  sessionNotFound,
  type SessionBinding,
  type SessionSeed,
} from './stateful-http-transport.ts';
import { ReplayBudget } from './replay-buffer.ts';

/** `seed` describes where and by which identity the session was opened. */
export type OpenSession = (transport: Transport, seed: SessionSeed) => Promise<unknown>;

/** How often an app is checked for a permanent disconnect, in ms. */
const sweepMs = 30_000;
/** Silence of an app after which its pending calls are abandoned, in ms. */
const abandonTimeoutMs = 5 * 60_000;
/** How long running calls may delay a change of what the session shows, in ms. */
const viewSwitchTimeoutMs = 30_000;
/** `Retry-After` if all sessions have calls running, in seconds. */
const retrySeconds = 30;

export class StatefulHttp {
  readonly #lines = new Map<string, StatefulHttpTransport>();
  readonly #replay = new ReplayBudget();
  readonly #streams: EventStreams;
  /** Sessions that are being reopened with other scopes. */
  readonly #opening = new Map<string, Promise<StatefulHttpTransport>>();
  readonly #limits: () => HttpSettings;
  #sweep: NodeJS.Timeout | undefined;

  constructor(streams: EventStreams, limits: () => HttpSettings) {
    this.#streams = streams;
    this.#limits = limits;
  }

  /** Number of open sessions. */
  get count(): number {
    return this.#lines.size;
  }

  /** Whether no client waits for a response or may return for one. */
  get isIdle(): boolean {
    return [...this.#lines.values()].every((line) => line.isIdle);
  }

  /** Revocable tokens of the open sessions. */
  get tokens(): readonly string[] {
    return [...this.#lines.values()].flatMap(({ seed }) => seed.token ?? []);
  }

  /** Handles messages of an app; `open` starts a session with a new id for `initialize`. */
  async post(
    { messages, isBatch }: { readonly messages: readonly Message[]; readonly isBatch: boolean },
    request: IncomingMessage,
    response: ServerResponse,
    place: SessionBinding,
    open: OpenSession,
  ): Promise<void> {
    const [first] = messages;
    const isHello = first !== undefined && isRequest(first) && first.method === 'initialize';
    const found = await this.#find(request, place, isHello);
    // Messages that are only responses go to the session with the request.
    const wants = found instanceof StatefulHttpTransport && !isHello && messages.some(isRequest);
    const line = wants ? await this.#boundAs(place, found, open) : found;
    if (line instanceof StatefulHttpTransport) {
      if (isHello)
        sendRefusal(response, httpRefusal(400, rpcCode.invalidRequest, 'This session is already open.', first.id));
      else line.post(messages, isBatch, request, response);
    } else if (line !== undefined) sendRefusal(response, line);
    else if (!isHello) sendRefusal(response, noSession);
    else if (!this.#evictOldest(place))
      sendRefusal(response, retryLater(503, tooManySessions(this.#limits().maxSessions), retrySeconds, first.id));
    else {
      const seed = { ...place, id: randomUUID(), hello: objectOrEmpty(first.params) };
      const opened = await this.#open(seed, open);
      opened.post(messages, isBatch, request, response);
    }
  }

  /** GET: opens the stream for messages outside of requests. */
  async listen(request: IncomingMessage, response: ServerResponse, place: SessionBinding): Promise<void> {
    const { headers } = request;
    if (headers.accept?.includes('text/event-stream') !== true)
      return sendRefusal(
        response,
        httpRefusal(406, rpcCode.aborted, 'GET opens a stream: Accept must include text/event-stream.'),
      );
    const line = (await this.#find(request, place, false)) ?? noSession;
    if (line instanceof StatefulHttpTransport) line.listen(request, response);
    else sendRefusal(response, line);
  }

  /** DELETE: ends the session. */
  async remove(request: IncomingMessage, response: ServerResponse, place: SessionBinding): Promise<void> {
    const line = (await this.#find(request, place, false)) ?? noSession;
    if (!(line instanceof StatefulHttpTransport)) return sendRefusal(response, line);
    await line.close();
    writeEmpty(response, 200);
  }

  /** Ends the sessions whose opening path and identity match. */
  async end(isOver: (place: SessionBinding) => boolean): Promise<void> {
    await Promise.all([...this.#lines.values()].filter(({ seed }) => isOver(seed)).map((line) => line.close()));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
  }

  /** Undefined if the request names no session. */
  async #find(
    { headers }: IncomingMessage,
    place: SessionBinding,
    isHello: boolean,
  ): Promise<StatefulHttpTransport | HttpRefusal | undefined> {
    const id = singleHeader(headers['mcp-session-id']);
    if (id === undefined) return undefined;
    const known = this.#lines.get(id) ?? (await this.#opening.get(id));
    if (known === undefined || !isSameBinding(place, known.seed)) return sessionNotFound;
    const version = singleHeader(headers['mcp-protocol-version']);
    if (isHello || version === undefined || statefulVersions.includes(version)) return known;
    const supported = statefulVersions.join(', ');
    return httpRefusal(
      400,
      rpcCode.aborted,
      `MCP-Protocol-Version ${version} is not supported. Use one of: ${supported}.`,
    );
  }

  /** Returns the session, reopened if its app returned with other scopes, because it then shows something else. */
  async #boundAs(
    place: SessionBinding,
    line: StatefulHttpTransport,
    open: OpenSession,
  ): Promise<StatefulHttpTransport> {
    const { id } = line.seed;
    if (hasSameBounds(place, line.seed)) return line;
    const other = await this.#opening.get(id);
    if (other !== undefined && hasSameBounds(place, other.seed)) return other;
    const opening = this.#rebind(line, place, open);
    this.#opening.set(id, opening);
    return opening.finally(() => this.#opening.delete(id));
  }

  async #rebind(line: StatefulHttpTransport, place: SessionBinding, open: OpenSession): Promise<StatefulHttpTransport> {
    await line.drained(viewSwitchTimeoutMs);
    await line.close();
    const reopened = await this.#open({ ...line.seed, ...place }, open);
    await reopened.replayInitialize();
    return reopened;
  }

  async #open(seed: SessionSeed, open: OpenSession): Promise<StatefulHttpTransport> {
    const line: StatefulHttpTransport = new StatefulHttpTransport(seed, {
      streams: this.#streams,
      replay: this.#replay,
      onEnd: () => this.#ended(line),
    });
    await open(line, seed);
    this.#lines.set(seed.id, line);
    this.#sweep ??= setInterval(() => this.#endGone(), sweepMs).unref();
    return line;
  }

  #ended(line: StatefulHttpTransport): void {
    // The session may have been reopened under the same id.
    if (this.#lines.get(line.seed.id) === line) this.#lines.delete(line.seed.id);
  }

  /**
   * Makes room for another session; returns whether it could. Clients disconnect silently, so at the limit the session
   * that was silent longest is closed, never one with a running call; if one holder has most sessions and asks for
   * another, it is one of theirs.
   */
  #evictOldest({ holder }: SessionBinding): boolean {
    const all = [...this.#lines.values()];
    if (all.length < this.#limits().maxSessions) return true;
    const own = all.filter(({ seed }) => seed.holder === holder);
    const idle = (own.length * 2 > all.length ? own : all).filter(({ open }) => open === 0);
    const [first] = idle;
    if (first === undefined) return false;
    void idle.reduce((oldest, one) => (one.presence.seenAt < oldest.presence.seenAt ? one : oldest), first).close();
    return true;
  }

  #endGone(): void {
    const idleMs = this.#limits().sessionIdleMinutes * 60_000;
    for (const line of this.#lines.values()) {
      const { silentMs } = line.presence;
      if (line.open > 0 && silentMs > abandonTimeoutMs) line.abandonCalls();
      if (line.open === 0 && silentMs > idleMs) void line.close();
    }
  }
}

const noSession = httpRefusal(
  400,
  rpcCode.aborted,
  'The header Mcp-Session-Id is missing. Call initialize first; its response contains the header.',
);

function tooManySessions(most: number): AppError {
  return new AppError('session_limit', `The limit of ${most} sessions is reached, and all have running calls.`, {
    fix: 'End unused sessions (HTTP DELETE), or raise http.maxSessions in the config.',
  });
}

/** A session responds only to its own path and identity. */
function isSameBinding(place: SessionBinding, { path, holder }: SessionBinding): boolean {
  return place.path === path && place.holder === holder;
}

/** Whether a session shows this client the same as the one that opened it. */
function hasSameBounds(place: SessionBinding, { person }: SessionBinding): boolean {
  return place.person?.bounds.join('\n') === person?.bounds.join('\n');
}
