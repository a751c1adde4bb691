/** Streamable HTTP of the handshake era: one session for each `Mcp-Session-Id`. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { objectOf } from '../../base/json.ts';
import type { HttpSettings } from '../../config/app-config.ts';
import { legacyVersions } from '../../wire/eras.ts';
import { isRequest, type Message, rpcCode } from '../../wire/message.ts';
import type { Transport } from '../../wire/transport.ts';
import type { Streams } from './event-stream.ts';
import { refusal, type Refusal, refuse, tryLater, writeEmpty } from './http-io.ts';
import { oneOf } from './inbound.ts';
import { KeptEvents } from './kept-events.ts';
import { LegacyLine, sessionGone, type SessionPlace, type SessionSeed } from './legacy-line.ts';
import type { LeftSessions } from './left-sessions.ts';
import { isAt, isBoundAs, type LeftSession } from './session-book.ts';

/** `seed`: where it was opened, and by whom. */
export type OpenSession = (transport: Transport, seed: SessionSeed) => Promise<unknown>;

/** How often it is looked whether an app is gone for good, in ms. */
const sweepMs = 30_000;
/** What an app can come back for is kept no longer. */
const giveUpMs = 5 * 60_000;
/** How long what is being called may take before its session shows something else, in ms. */
const quietMs = 30_000;
/** When to try again where all sessions have calls running, in seconds. */
const retrySeconds = 30;

export class LegacyHttp {
  readonly #lines = new Map<string, LegacyLine>();
  readonly #kept = new KeptEvents();
  readonly #streams: Streams;
  readonly #book: LeftSessions;
  readonly #opening = new Map<string, Promise<LegacyLine | undefined>>();
  /** Those that are being let go of, until the next core can have them. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #limits: () => HttpSettings;
  #isDraining = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(streams: Streams, limits: () => HttpSettings, book: LeftSessions) {
    this.#streams = streams;
    this.#limits = limits;
    this.#book = book;
  }

  /** Sessions that are open. */
  get count(): number {
    return this.#lines.size;
  }

  /** What may be over of the sessions that are open. */
  get tokens(): readonly string[] {
    return [...this.#lines.values()].flatMap(({ seed }) => seed.token ?? []);
  }

  /** Messages of an app; `open` starts a session, under a new id, for one that introduces itself. */
  async post(
    { messages, isBatch }: { readonly messages: readonly Message[]; readonly isBatch: boolean },
    request: IncomingMessage,
    response: ServerResponse,
    place: SessionPlace,
    open: OpenSession,
  ): Promise<void> {
    const [first] = messages;
    const isHello = first !== undefined && isRequest(first) && first.method === 'initialize';
    const found = stillOpen(await this.#find(request, place, isHello, open));
    // What only answers goes to whoever asked.
    const wants = found instanceof LegacyLine && !isHello && messages.some(isRequest);
    const line = wants ? stillOpen(await this.#boundAs(place, found, open)) : found;
    if (line instanceof LegacyLine) {
      if (isHello) refuse(response, refusal(400, rpcCode.invalidRequest, 'This session is open already.', first.id));
      else line.post(messages, isBatch, request, response);
    } else if (line !== undefined) refuse(response, line);
    else if (!isHello) refuse(response, noSession);
    else if (!this.#makeRoom(place)) refuse(response, tryLater(503, tooManySessions(), retrySeconds, first.id));
    else {
      const seed = { ...place, id: randomUUID(), hello: objectOf(first.params) };
      const begun = await this.#open(seed, open);
      begun.post(messages, isBatch, request, response);
    }
  }

  /** GET: the stream for what belongs to no request. */
  async listen(
    request: IncomingMessage,
    response: ServerResponse,
    place: SessionPlace,
    open: OpenSession,
  ): Promise<void> {
    const { headers } = request;
    if (headers.accept?.includes('text/event-stream') !== true)
      return refuse(
        response,
        refusal(406, rpcCode.aborted, 'A GET here opens a stream: Accept must name text/event-stream.'),
      );
    const line = stillOpen(await this.#find(request, place, false, open)) ?? noSession;
    if (line instanceof LegacyLine) line.listen(request, response);
    else refuse(response, line);
  }

  /** DELETE: the session is over. */
  async remove(
    request: IncomingMessage,
    response: ServerResponse,
    place: SessionPlace,
    open: OpenSession,
  ): Promise<void> {
    const line = (await this.#find(request, place, false, open)) ?? noSession;
    if (!(line instanceof LegacyLine)) return refuse(response, line);
    await line.close();
    writeEmpty(response, 200);
  }

  /** Ends sessions by where they were opened, and by whom. */
  async end(isOver: (place: SessionPlace) => boolean): Promise<void> {
    this.#book.forget(isOver);
    await Promise.all([...this.#lines.values()].filter(({ seed }) => isOver(seed)).map((line) => line.close()));
  }

  /**
   * Lets another core go on with those that have nothing under way here, or with all; from then on with each one as soon as its last answer
   * is given, since who asks without a pause would be found busy at any look. What they have open here ends.
   */
  async handOver(which: 'idle' | 'all'): Promise<void> {
    this.#isDraining = true;
    await this.#leave([...this.#lines.values()].filter(({ isIdle }) => which === 'all' || isIdle));
  }

  async #leave(lines: readonly LegacyLine[]): Promise<void> {
    const left = lines.map(leftOf);
    const leaving = Promise.withResolvers<void>();
    for (const { seed } of lines) {
      this.#leaving.set(seed.id, leaving.promise);
      // Not found from now on: what came meanwhile would be taken, and ended with it.
      this.#lines.delete(seed.id);
    }
    await Promise.all(lines.map((line) => line.close()));
    this.#book.leave(left);
    for (const { seed } of lines) this.#leaving.delete(seed.id);
    leaving.resolve();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
  }

  /** Undefined: the request names none. */
  async #find(
    { headers }: IncomingMessage,
    place: SessionPlace,
    isHello: boolean,
    open: OpenSession,
  ): Promise<LegacyLine | Refusal | undefined> {
    const id = oneOf(headers['mcp-session-id']);
    if (id === undefined) return undefined;
    const leaving = this.#leaving.get(id);
    if (leaving !== undefined) await leaving;
    const known = this.#lines.get(id) ?? (await (this.#opening.get(id) ?? this.#takeUp(id, place, open)));
    if (known === undefined && leaving !== undefined) return movedAway();
    if (known === undefined || !isAt(place, known.seed)) return sessionGone;
    const version = oneOf(headers['mcp-protocol-version']);
    if (isHello || version === undefined || legacyVersions.includes(version)) return known;
    const supported = legacyVersions.join(', ');
    return refusal(400, rpcCode.aborted, `MCP-Protocol-Version ${version} is none of ${supported}.`);
  }

  /** Whoever asks meanwhile waits for the same. */
  #takeUp(id: string, place: SessionPlace, open: OpenSession): Promise<LegacyLine | undefined> {
    const opening = this.#openAgain(id, place, open);
    this.#opening.set(id, opening);
    return opening.finally(() => this.#opening.delete(id));
  }

  /** The session that another core had open under this id; its app does not know that there was another core. */
  async #openAgain(id: string, place: SessionPlace, open: OpenSession): Promise<LegacyLine | undefined> {
    const left = this.#book.take(id, place);
    if (left === undefined) return undefined;
    const { seenAt, ...seed } = left;
    if (Date.now() - seenAt > this.#limits().sessionIdleMinutes * 60_000 || !this.#makeRoom(place)) return undefined;
    const line = await this.#open(seed, open);
    await line.meetAgain();
    return line;
  }

  /** Where its app came back with other rights, it is the same session, which shows it something else. */
  async #boundAs(place: SessionPlace, line: LegacyLine, open: OpenSession): Promise<LegacyLine> {
    const { id } = line.seed;
    if (isBoundAs(place, line.seed)) return line;
    const other = await this.#opening.get(id);
    if (other !== undefined && isBoundAs(place, other.seed)) return other;
    const opening = this.#bindAnew(line, place, open);
    this.#opening.set(id, opening);
    return opening.finally(() => this.#opening.delete(id));
  }

  async #bindAnew(line: LegacyLine, place: SessionPlace, open: OpenSession): Promise<LegacyLine> {
    await line.quiet(quietMs);
    await line.close();
    const anew = await this.#open({ ...line.seed, ...place }, open);
    await anew.meetAgain();
    return anew;
  }

  async #open(seed: SessionSeed, open: OpenSession): Promise<LegacyLine> {
    const line: LegacyLine = new LegacyLine(seed, {
      streams: this.#streams,
      kept: this.#kept,
      onEnd: () => this.#ended(line),
      onIdle: () => {
        if (this.#isDraining && this.#lines.get(seed.id) === line) void this.#leave([line]);
      },
    });
    await open(line, seed);
    this.#lines.set(seed.id, line);
    this.#sweep ??= setInterval(() => this.#endGone(), sweepMs).unref();
    return line;
  }

  #ended(line: LegacyLine): void {
    // It may have been opened again under the same id.
    if (this.#lines.get(line.seed.id) === line) this.#lines.delete(line.seed.id);
  }

  /**
   * Apps come and go without a word; where there are too many, the one not heard of longest gives way: of whoever has most of
   * them, where that is the one who asks. Never one with a call running. False where there is none.
   */
  #makeRoom({ holder }: SessionPlace): boolean {
    const all = [...this.#lines.values()];
    const { sessions } = this.#limits();
    if (all.length < sessions) return true;
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
      if (line.open > 0 && silentMs > giveUpMs) line.giveUp();
      if (line.open === 0 && silentMs > idleMs) void line.close();
    }
  }
}

function leftOf({ seed, presence }: LegacyLine): LeftSession {
  return { ...seed, seenAt: presence.seenAt };
}

const noSession = refusal(
  400,
  rpcCode.aborted,
  'The header Mcp-Session-Id is missing: a session begins with initialize, whose answer names it.',
);

/** It may have been handed over as it was found, and would never answer. */
function stillOpen(found: LegacyLine | Refusal | undefined): LegacyLine | Refusal | undefined {
  return found instanceof LegacyLine && found.isClosed ? movedAway() : found;
}

function movedAway(): Refusal {
  const why = new AppError('session_limit', 'This session was just handed over; nothing was run.', {
    fix: 'Ask again: another replica of Tooltray answers.',
  });
  return tryLater(503, why, 1);
}

function tooManySessions(): AppError {
  return new AppError('session_limit', 'Too many sessions have calls running.', {
    fix: 'End sessions that are not used any more (HTTP DELETE), or try again later.',
  });
}
