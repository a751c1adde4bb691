/**
 * One stateful session over HTTP. A response is written to the POST that carried its request: as one JSON body if
 * nothing precedes it, otherwise as a resumable stream. Messages outside of requests have a stream of their own.
 * Source: MCP 2025-11-25, basic/transports, "Streamable HTTP" and "Resumability and Redelivery".
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { statefulVersions } from '../../wire/protocol-kind.ts';
import { isFailure, isRequest, type Message, type RequestId, rpcCode } from '../../wire/message.ts';
import { scalarOf } from '../../wire/raw-json.ts';
import type { SendOptions, Transport, TransportHandlers } from '../../wire/transport.ts';
import { type EventStream, formatEvent, type EventStreams } from './event-stream.ts';
import { httpRefusal, sendRefusal, writeEmpty, writeJson } from './http-io.ts';
import { HttpPresence } from './http-presence.ts';
import { type ReplayBudget, ReplayBuffer } from './replay-buffer.ts';

/** Delay before a response moves to a stream, on which an app whose connection broke can resume, in ms. */
const streamUpgradeDelayMs = 100;
/** When an app should reconnect a broken stream, in ms. */
const retryMs = 1_000;
/** Older clients treat an event without data as an error. */
const firstWithEmptyEvents = '2025-11-25';

/** Id of the `initialize` that is replayed on the app's behalf. */
const meetingId = 'tooltray:again';

/** The path and token that opened a session, which are required for each of its requests. */
export interface SessionBinding {
  readonly path: string;
  readonly holder: string;
  /** Id of the profile's token, or of the user's revocable token. */
  readonly token?: string | undefined;
  /** User of the endpoint, if several share the core. */
  readonly person?: UserBinding | undefined;
  /** Expiry of the session's credential, in ms since 1970; its streams end then, too. */
  readonly until?: number | undefined;
}

/** The user's part of a session binding. */
export interface UserBinding {
  readonly user: string;
  /** The user's credential (`Credential.token`). */
  readonly token: string;
  readonly bounds: readonly string[];
  /** The scope whose absence restricts the user, if they could request it. */
  readonly lacks?: string;
}

/** Data to open a session, and to reopen it if its client returns with other scopes. */
export interface SessionSeed extends SessionBinding {
  readonly id: string;
  /** The params of `initialize`. */
  readonly hello: JsonObject;
}

interface LegacyLineParts {
  readonly streams: EventStreams;
  readonly replay: ReplayBudget;
  readonly onEnd: () => void;
}

export class StatefulHttpTransport implements Transport {
  readonly seed: SessionSeed;
  readonly presence = new HttpPresence();
  readonly #parts: LegacyLineParts;
  /** Pending requests by id. */
  readonly #postings = new Map<RequestId, Posting>();
  /** Requests with a response stream, by stream name, until it can no longer be resumed. */
  readonly #streams = new Map<string, Posting>();
  /** Callbacks that wait until no request is pending. */
  readonly #quieted = new Set<() => void>();
  #handlers: TransportHandlers | undefined;
  #getStream: EventStream | undefined;
  #lastStream = 0;
  #lastEvent = 0;
  /** Number of results that the app has yet to fetch. */
  #awaited = 0;
  /** Resolves the replayed `initialize`. */
  #meeting: (() => void) | undefined;
  /** Lists may have changed while the client had no stream open. */
  #isStale = false;
  #version: string | undefined;

  constructor(seed: SessionSeed, parts: LegacyLineParts) {
    this.seed = seed;
    this.#parts = parts;
  }

  /** Number of pending requests. */
  get open(): number {
    return this.#postings.size;
  }

  /** Resolves when no request is pending, or after `maxMs`. */
  async drained(maxMs: number): Promise<void> {
    if (this.open === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#quieted.add(resolve);
    const timer = setTimeout(resolve, maxMs).unref();
    await promise;
    clearTimeout(timer);
    this.#quieted.delete(resolve);
  }

  /** Whether the app has nothing to return for. */
  get isIdle(): boolean {
    return this.#postings.size === 0 && this.#awaited === 0;
  }

  expectPickup(until: Promise<void>): void {
    this.#awaited++;
    void until.then(() => this.#awaited--);
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
  }

  /** Replays the app's `initialize` for a session that was reopened. Resolves with the response. */
  async replayInitialize(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#meeting = resolve;
    this.#isStale = true;
    this.#handlers?.onMessage({ jsonrpc: '2.0', id: meetingId, method: 'initialize', params: this.seed.hello });
    await promise;
    this.#handlers?.onMessage({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Handles messages of the app and writes the responses. `isBatch`: they came as an array. */
  post(messages: readonly Message[], isBatch: boolean, request: IncomingMessage, response: ServerResponse): void {
    const requests = messages.filter(isRequest);
    const again = requests.find(({ id }) => this.#postings.get(id)?.hasReader === true);
    if (again !== undefined)
      return sendRefusal(
        response,
        httpRefusal(400, rpcCode.invalidRequest, 'A request with this id is already in progress.', again.id),
      );
    this.presence.follow(request, response);
    if (requests.length === 0) writeEmpty(response, 202, this.#headers);
    else {
      const posting = new Posting(response, requests, isBatch, this.#headers, () => this.#stream(posting));
      for (const { id } of requests) this.#postings.set(id, posting);
    }
    for (const message of messages) this.#handlers?.onMessage(message);
  }

  /** Opens the stream for messages outside of requests, or resumes that of a request. */
  listen(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers['last-event-id'];
    const no = (status: number, message: string): void =>
      sendRefusal(response, httpRefusal(status, rpcCode.aborted, message));
    if (typeof last === 'string' && last !== '') return this.#resume(last, request, response, no);
    if (this.#getStream?.isOpen === true) return no(409, 'This session already has an open stream.');
    this.presence.follow(request, response);
    this.#getStream = this.#parts.streams.open(response, this.#headers);
    this.#getStream.begin();
    if (!this.#isStale) return;
    this.#isStale = false;
    for (const list of ['tools', 'prompts', 'resources'])
      this.#reportStatus({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
  }

  async send(message: Message, options?: SendOptions): Promise<void> {
    const isAnswer = !('method' in message);
    const related = isAnswer ? message.id : options?.relatedRequestId;
    if (related === undefined || related === null) return this.#reportStatus(message);
    if (isAnswer && related === meetingId && this.#meeting !== undefined) return this.#metAgain(message);
    const posting = this.#postings.get(related);
    if (posting === undefined) throw new AppError('session_limit', 'This request is no longer pending.');
    if (!isAnswer) {
      const stream = this.#stream(posting);
      stream.send(message, this.#keep(posting, message));
      return;
    }
    this.#postings.delete(related);
    if (posting.isHello) this.#met(message);
    posting.answer(message, posting.stream === undefined ? undefined : this.#keep(posting, message));
    if (posting.isDone) posting.replay?.expire(() => this.#streams.delete(posting.name));
    if (this.open === 0) for (const resolve of this.#quieted) resolve();
  }

  async close(): Promise<void> {
    const handlers = this.#handlers;
    if (handlers === undefined) return;
    this.#handlers = undefined;
    this.#abandonAll();
    this.#getStream?.end();
    this.presence.end();
    this.#meeting?.();
    for (const resolve of this.#quieted) resolve();
    this.#parts.onEnd();
    handlers.onClose();
  }

  /** Abandons calls of an app that disconnected long ago and can no longer fetch the results. */
  abandonCalls(): void {
    for (const requestId of this.#postings.keys())
      this.#handlers?.onMessage({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId, reason: 'the client app disconnected' },
      });
    this.#abandonAll();
  }

  #abandonAll(): void {
    for (const posting of new Set(this.#postings.values())) posting.abandon();
    for (const { replay } of this.#streams.values()) replay?.clear();
    this.#postings.clear();
    this.#streams.clear();
  }

  get #headers(): readonly string[] {
    return ['mcp-session-id', this.seed.id];
  }

  #metAgain(answer: Message): void {
    const met = this.#meeting;
    this.#meeting = undefined;
    this.#met(answer);
    met?.();
  }

  /** Ends a session whose first request was not a valid `initialize`. */
  #met(answer: Message): void {
    if (!('result' in answer) || isFailure(answer)) {
      setImmediate(() => void this.close());
      return;
    }
    const version = scalarOf(answer.result, 'protocolVersion');
    if (typeof version === 'string') this.#version = version;
  }

  /** Moves the response to a stream. */
  #stream(posting: Posting): EventStream {
    if (posting.stream !== undefined) return posting.stream;
    posting.name = `post${(this.#lastStream += 1)}`;
    this.#streams.set(posting.name, posting);
    posting.replay = new ReplayBuffer(this.#parts.replay);
    const stream = posting.open(this.#parts.streams);
    if (canTakeEmptyEvents(this.#version)) stream.prime(this.#nextEventId(posting), retryMs);
    else stream.begin();
    return stream;
  }

  #nextEventId({ name }: Posting): string {
    return `${name}.${(this.#lastEvent += 1)}`;
  }

  /** Formats an event and stores it for a client that loses the stream. */
  #keep(posting: Posting, message: Message): readonly (string | Buffer)[] {
    const pieces = formatEvent(message, this.#nextEventId(posting));
    posting.replay?.add(this.#lastEvent, pieces);
    return pieces;
  }

  #resume(
    lastEventId: string,
    request: IncomingMessage,
    response: ServerResponse,
    no: (status: number, message: string) => void,
  ): void {
    const [, name = '', number = ''] = /^(\w+)\.(\d{1,15})$/.exec(lastEventId) ?? [];
    const posting = this.#streams.get(name);
    if (posting?.stream?.isOpen === true) return no(409, 'This stream is still open.');
    const missed = posting?.replay?.after(Number(number)) ?? [];
    // A client that got no response would ask again and again.
    if (posting === undefined || (posting.isDone && missed.length === 0))
      return no(400, 'There are no events to resume after this one.');
    this.presence.follow(request, response);
    const next = this.#parts.streams.open(response, this.#headers);
    next.begin();
    for (const event of missed) next.replay(event);
    if (posting.isDone) next.end();
    else posting.stream = next;
  }

  /** Such messages are not stored: a client that reopens its stream is notified that lists may have changed. */
  #reportStatus(message: Message): void {
    if (this.#getStream === undefined) return;
    if (this.#getStream.isOpen) this.#getStream.send(message);
    else this.#isStale = true;
  }
}

function canTakeEmptyEvents(version: string | undefined): boolean {
  return version !== undefined && statefulVersions.includes(version) && version >= firstWithEmptyEvents;
}

/** The response to one POST. */
class Posting {
  /** Name of its stream; empty without a stream. */
  name = '';
  stream: EventStream | undefined;
  /** Replay buffer of its stream. */
  replay: ReplayBuffer | undefined;
  /** Whether it carried `initialize`. */
  readonly isHello: boolean;
  readonly #response: ServerResponse;
  readonly #isBatch: boolean;
  readonly #headers: readonly string[];
  readonly #responses: Message[] = [];
  readonly #timer: NodeJS.Timeout;
  #waiting: number;

  constructor(
    response: ServerResponse,
    requests: readonly { readonly method: string }[],
    isBatch: boolean,
    headers: readonly string[],
    late: () => void,
  ) {
    this.#response = response;
    this.#isBatch = isBatch;
    this.#headers = headers;
    this.#waiting = requests.length;
    this.isHello = requests[0]?.method === 'initialize';
    this.#timer = setTimeout(() => {
      if (this.hasReader) late();
    }, streamUpgradeDelayMs).unref();
  }

  /** Whether a client is connected to receive messages. */
  get hasReader(): boolean {
    return this.stream?.isOpen ?? !this.#response.destroyed;
  }

  get isDone(): boolean {
    return this.#waiting === 0;
  }

  open(streams: EventStreams): EventStream {
    clearTimeout(this.#timer);
    this.stream = streams.open(this.#response, this.#headers);
    // Sends the responses that were produced before a stream was open.
    for (const answer of this.#responses) this.stream.send(answer);
    return this.stream;
  }

  /** `event`: the formatted event, if there is a stream. */
  answer(message: Message, event: readonly (string | Buffer)[] | undefined): void {
    this.#waiting--;
    if (this.stream !== undefined) {
      this.stream.send(message, event);
      if (this.isDone) this.stream.end();
      return;
    }
    this.#responses.push(message);
    if (!this.isDone) return;
    clearTimeout(this.#timer);
    const [first] = this.#responses;
    const body = this.#isBatch || first === undefined ? this.#responses : first;
    writeJson(this.#response, statusOf(message), body, this.#headers);
  }

  /** Closes the transport: no more messages will arrive. */
  abandon(): void {
    clearTimeout(this.#timer);
    if (this.stream !== undefined) this.stream.end();
    else sendRefusal(this.#response, sessionNotFound);
  }
}

export const sessionNotFound = httpRefusal(404, -32001, 'Session not found. Initialize again.');

/** If a limit is reached, the error is also an HTTP status, so that intermediaries see it. */
function statusOf(message: Message): number {
  const data = isFailure(message) ? message.error.data : undefined;
  return isObject(data) && data['code'] === 'session_limit' ? 429 : 200;
}
