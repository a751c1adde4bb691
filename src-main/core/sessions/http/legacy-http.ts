/** Streamable HTTP of the handshake era: one session per `Mcp-Session-Id`, carried by the SDK's transport. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { AppError } from '../../base/errors.ts';
import { Event } from '../../base/events.ts';
import type { Message } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { Presence, SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import { replyError } from './http-io.ts';
import { isOfStandingStream, KeptEvents } from './kept-events.ts';

const maxSessions = 500;
/** Of one token: an app that opens and forgets must not push out the others. */
const maxSessionsEach = 100;

export type OpenSession = (transport: Transport) => Promise<unknown>;

/** An app that asks nothing for so long and keeps no stream open is taken for gone, in ms. */
const silenceMs = 5 * 60_000;
/** The same for one that had a stream open, which ends with its program. */
const afterStreamMs = 5_000;
/** When an app whose stream broke off is to come back, in ms. */
const retryMs = 1_000;

/** Where a session was opened, and with whose token: it answers nowhere else. */
export interface SessionPlace {
  readonly path: string;
  readonly holder: string;
  /** Id of the token of a profile, where it is one. */
  readonly token?: string | undefined;
}

interface Line extends SessionPlace {
  readonly sdk: WebStandardStreamableHTTPServerTransport;
  readonly presence: LinePresence;
  /** Its POSTs that are not answered yet. */
  open: number;
}

export class LegacyHttp {
  readonly #lines = new Map<string, Line>();
  readonly #kept = new KeptEvents();

  /** Serves one request; `open` starts a session for a client that introduces itself. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    place: SessionPlace,
    open: OpenSession,
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#lines.get(id) : undefined;
    if (known?.path === place.path && known.holder === place.holder) {
      known.presence.follow(request, response);
      if (request.method === 'POST') holdOpen(known, response);
      await handle(known.sdk, request, response, body);
    } else if (typeof id === 'string') {
      replyError(response, 404, { code: -32001, message: 'Session not found. Initialize again.' });
    } else {
      if (!this.#makeRoom(place)) throw tooManySessions();
      const { sdk, presence } = await this.#begin(place, open);
      presence.follow(request, response);
      await handle(sdk, request, response, body);
      // A first request that was no handshake leaves nothing behind.
      if (sdk.sessionId === undefined) await sdk.close();
    }
  }

  /** Ends sessions by where they were opened, and by whom. */
  async end(isOver: (place: SessionPlace) => boolean): Promise<void> {
    await Promise.all([...this.#lines.values()].filter(isOver).map(({ sdk }) => sdk.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.sdk.close()));
    this.#lines.clear();
  }

  async #begin(place: SessionPlace, open: OpenSession): Promise<Pick<Line, 'sdk' | 'presence'>> {
    const presence = new LinePresence();
    const events = this.#kept.ofSession();
    const sdk: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events,
      retryInterval: retryMs,
      onsessioninitialized: (id) => {
        this.#lines.set(id, { ...place, sdk, presence, open: 0 });
      },
    });
    const forget = (): void => {
      events.clear();
      this.#forget(sdk);
    };
    await open(new SdkServerTransport(sdk, presence, forget));
    return { sdk, presence };
  }

  #forget(sdk: WebStandardStreamableHTTPServerTransport): void {
    if (sdk.sessionId !== undefined) this.#lines.delete(sdk.sessionId);
  }

  /**
   * Clients come and go without a word; the one not heard of longest gives way, of the same token where that has many. Never
   * one with a call running. False where there is none.
   */
  #makeRoom({ holder }: SessionPlace): boolean {
    const all = [...this.#lines.values()];
    const own = all.filter((line) => line.holder === holder);
    const crowd = own.length >= maxSessionsEach ? own : all.length >= maxSessions ? all : undefined;
    if (crowd === undefined) return true;
    const [oldest] = crowd.filter(({ open }) => open === 0).sort((a, b) => a.presence.seenAt - b.presence.seenAt);
    void oldest?.sdk.close();
    return oldest !== undefined;
  }
}

async function handle(
  sdk: WebStandardStreamableHTTPServerTransport,
  request: IncomingMessage,
  response: ServerResponse,
  parsedBody: unknown,
): Promise<void> {
  const listener = getRequestListener(async (asked) => unheld(await sdk.handleRequest(asked, { parsedBody })), {
    overrideGlobalObjects: false,
  });
  await listener(request, response);
}

/** A stream that does not say that it comes in pieces is held back by the adapter for a millisecond, to see whether it is short. */
function unheld(answer: Response): Response {
  if (answer.headers.get('content-type') === 'text/event-stream') answer.headers.set('transfer-encoding', 'chunked');
  return answer;
}

/** Clients come and go without a word: what they have open, and when they were last heard, is all there is to tell by. */
class LinePresence implements Presence {
  readonly changed = new Event();
  seenAt = Date.now();
  #open = 0;
  #hadStream = false;
  #timer: NodeJS.Timeout | undefined;

  get isHere(): boolean {
    return this.#open > 0 || Date.now() - this.seenAt < this.#patienceMs;
  }

  /** A request of the app; a GET is a stream that stays, unless it goes on with that of a call. */
  follow(request: IncomingMessage, response: ServerResponse): void {
    const wasHere = this.isHere;
    const last = request.headers['last-event-id'];
    const isStream = request.method === 'GET' && (typeof last !== 'string' || isOfStandingStream(last));
    // One that asks without a stream goes on without it.
    if (isStream || this.#open === 0) this.#hadStream = isStream;
    this.#open++;
    this.seenAt = Date.now();
    clearTimeout(this.#timer);
    response.once('close', () => {
      this.seenAt = Date.now();
      if (--this.#open === 0) this.#timer = setTimeout(() => this.changed.emit(), this.#patienceMs).unref();
    });
    if (!wasHere) this.changed.emit();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  get #patienceMs(): number {
    return this.#hadStream ? afterStreamMs : silenceMs;
  }
}

function holdOpen(line: Line, response: ServerResponse): void {
  line.open++;
  response.once('close', () => line.open--);
}

function tooManySessions(): AppError {
  return new AppError('session_limit', 'Too many sessions have calls running.', {
    fix: 'End sessions that are not used any more (HTTP DELETE), or try again later.',
  });
}

/** The SDK's server transport behind our seam; messages pass as they are. */
class SdkServerTransport implements Transport {
  readonly #sdk: WebStandardStreamableHTTPServerTransport;
  readonly #ended: () => void;
  readonly presence: LinePresence;

  constructor(sdk: WebStandardStreamableHTTPServerTransport, presence: LinePresence, ended: () => void) {
    this.#sdk = sdk;
    this.presence = presence;
    this.#ended = ended;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#sdk.onmessage = (message) => handlers.onMessage(message as unknown as Message);
    this.#sdk.onerror = (error) => handlers.onOddity(error.message);
    this.#sdk.onclose = () => {
      this.presence.end();
      this.#ended();
      handlers.onClose();
    };
    await this.#sdk.start();
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    const related = options?.relatedRequestId;
    await this.#sdk.send(
      this.asWritten(message) as never,
      related === undefined ? undefined : { relatedRequestId: related },
    );
  }

  asWritten(message: Message): Message {
    return 'result' in message && message.result instanceof RawJson
      ? { ...message, result: message.result.parse() }
      : message;
  }

  async close(): Promise<void> {
    await this.#sdk.close();
  }
}
