/**
 * Session state kept by the shim so that a new core can take over: the handshake, subscriptions, and pending requests.
 */
import { isObject, type JsonObject } from '../core/base/json.ts';
import type { MessageFacts } from './line-reader.ts';

interface Call {
  readonly id: string;
  /** The request, if sending it again is harmless. */
  line: Buffer | undefined;
}

interface Listen {
  readonly line: Buffer;
  readonly params: JsonObject | undefined;
  acknowledged: boolean;
}

/** Messages for a new core, in order. */
interface Replay {
  /** The client's `initialize`; the rest follows after its response. */
  readonly initialize: { readonly id: string; readonly line: Buffer } | undefined;
  readonly rest: readonly Buffer[];
  /** Lines for the client, after the new core has the session. */
  readonly news: readonly string[];
}

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** Read-only requests, which are repeated to a new core instead of failing. */
const idempotentMethods =
  /^(initialize|ping|server\/discover|.+\/list|resources\/(read|subscribe|unsubscribe)|prompts\/get|completion\/complete|logging\/setLevel)$/;

export class SessionState {
  #initialize: { readonly id: string; readonly line: Buffer } | undefined;
  #initialized: Buffer | undefined;
  #logLevel: Call | undefined;
  /** resources/subscribe by URI. */
  readonly #subscriptions = new Map<string, Call>();
  /** subscriptions/listen by ID (2026-07-28). */
  readonly #listens = new Map<string, Listen>();
  readonly #calls = new Map<string, Call>();
  /** Requests of the core that the client is processing. */
  readonly #coreRequests = new Set<string>();
  /** The same for a lost core; a new core did not send them. */
  readonly #lostCoreRequests = new Set<string>();
  /** Replayed requests whose responses the client has already received. */
  readonly #suppressedResponses = new Set<string>();
  /** Reopened listens whose acknowledgement the client has already received. */
  readonly #suppressedAcks = new Set<string>();
  readonly #unnoted = new DeferredQueue();

  /** Records forwarded messages later, or when their state is needed. Not for messages that may have to be filtered. */
  deferNote(note: () => void, bytes: number): void {
    this.#unnoted.add(note, bytes);
  }

  /** Whether the client has pending requests. */
  get waiting(): boolean {
    this.#unnoted.catchUp();
    return this.#calls.size > 0;
  }

  /** Whether some client message must not reach the core. */
  get filtersInput(): boolean {
    return this.#lostCoreRequests.size > 0;
  }

  /** Whether some core message must not reach the client. */
  get filtersOutput(): boolean {
    return this.#suppressedResponses.size > 0 || this.#suppressedAcks.size > 0;
  }

  /** Records a message for the core; false if it must not be sent. `line` is missing for long messages. */
  fromClient({ id, method, params }: MessageFacts, line: Buffer | undefined): boolean {
    this.#unnoted.catchUp();
    if (method === undefined) {
      this.#coreRequests.delete(id ?? '');
      return id === undefined || !this.#lostCoreRequests.delete(id);
    }
    if (id === undefined) this.#noteNotification(method, params, line);
    else if (method === 'subscriptions/listen' && line !== undefined) {
      this.#listens.set(id, { line: Buffer.from(line), params, acknowledged: false });
    } else {
      const call = { id, line: line !== undefined && idempotentMethods.test(method) ? Buffer.from(line) : undefined };
      this.#calls.set(id, call);
      this.#noteRequest(method, params, call);
    }
    return true;
  }

  /** Records a message of the core; false if it must not reach the client. */
  fromCore({ id, method, params }: MessageFacts): boolean {
    this.#unnoted.catchUp();
    if (id !== undefined && method !== undefined) {
      this.#lostCoreRequests.delete(id);
      this.#coreRequests.add(id);
    } else if (id !== undefined) {
      this.#calls.delete(id);
      this.#listens.delete(id);
      return !this.#suppressedResponses.delete(id);
    } else if (method === 'notifications/cancelled') {
      this.#coreRequests.delete(JSON.stringify(params?.['requestId']));
    } else if (method === 'notifications/subscriptions/acknowledged') {
      return this.#noteAcknowledgement(params);
    }
    return true;
  }

  /** The line certainly did not reach the core: all of its requests can be sent to the next one. */
  undelivered(messages: readonly MessageFacts[], line: Buffer): void {
    this.#unnoted.catchUp();
    for (const { id } of messages) {
      const call = this.#calls.get(id ?? '');
      if (call !== undefined) call.line = Buffer.from(line);
    }
  }

  /** The core is gone: returns responses to the client's calls and cancellations of the core's requests. */
  onCoreLost(reason: string): string[] {
    this.#unnoted.catchUp();
    const lines = [...this.#coreRequests].map(cancelledLine);
    for (const id of this.#coreRequests) this.#lostCoreRequests.add(id);
    this.#coreRequests.clear();
    this.#suppressedResponses.clear();
    this.#suppressedAcks.clear();
    return [...lines, ...this.#failCalls((call) => call.line === undefined, reason)];
  }

  /** Returns error responses for all pending requests, because no core is available. */
  failPending(reason: string): string[] {
    this.#unnoted.catchUp();
    return this.#failCalls(() => true, reason);
  }

  /**
   * Returns the messages for a new core. Pending read requests are repeated only once, so that one that crashes the
   * core does not crash the next.
   */
  replay(): Replay {
    this.#unnoted.catchUp();
    const repeats = [...this.#calls.values()].filter(({ id }) => id !== this.#initialize?.id);
    const settings = [this.#logLevel, ...this.#subscriptions.values()].filter(
      (call) => call !== undefined && !this.#calls.has(call.id),
    ) as Call[];
    const past = this.#initialize === undefined || this.#calls.has(this.#initialize.id) ? [] : [this.#initialize];
    for (const { id } of [...past, ...settings]) this.#suppressedResponses.add(id);
    for (const [id, listen] of this.#listens) if (listen.acknowledged) this.#suppressedAcks.add(id);
    const rest = [
      this.#initialized,
      ...settings.map((call) => call.line),
      ...[...this.#listens.values()].map((listen) => listen.line),
      ...repeats.map((call) => call.line),
    ].filter((line) => line !== undefined);
    for (const call of this.#calls.values()) call.line = undefined;
    return { initialize: this.#initialize, rest, news: this.#news() };
  }

  #noteNotification(method: string, params: JsonObject | undefined, line: Buffer | undefined): void {
    if (method === 'notifications/initialized') this.#initialized = line && Buffer.from(line);
    else if (method === 'notifications/cancelled') {
      const id = JSON.stringify(params?.['requestId']);
      this.#calls.delete(id);
      this.#listens.delete(id);
    }
  }

  #noteRequest(method: string, params: JsonObject | undefined, call: Call): void {
    const uri = String(params?.['uri']);
    if (method === 'resources/unsubscribe') this.#subscriptions.delete(uri);
    if (call.line === undefined) return;
    const pending = { id: call.id, line: call.line };
    if (method === 'initialize') this.#initialize = pending;
    else if (method === 'logging/setLevel') this.#logLevel = pending;
    else if (method === 'resources/subscribe') this.#subscriptions.set(uri, pending);
  }

  #noteAcknowledgement(params: JsonObject | undefined): boolean {
    const meta = params?.['_meta'];
    const id = JSON.stringify(isObject(meta) ? meta[subscriptionKey] : undefined);
    const listen = this.#listens.get(id);
    if (listen !== undefined) listen.acknowledged = true;
    return !this.#suppressedAcks.delete(id);
  }

  #failCalls(which: (call: Call) => boolean, reason: string): string[] {
    const failed = [...this.#calls.values()].filter(which);
    for (const { id } of failed) this.#calls.delete(id);
    return failed.map(({ id }) => errorLine(id, reason));
  }

  /** The new core may list other tools than the lost one. */
  #news(): string[] {
    const legacy = this.#initialized === undefined ? [] : [toolsChangedLine()];
    const listening = [...this.#listens].filter(([, { params, acknowledged }]) => {
      const wanted = params?.['notifications'];
      return acknowledged && isObject(wanted) && wanted['toolsListChanged'] === true;
    });
    return [...legacy, ...listening.map(([id]) => toolsChangedLine(id))];
  }
}

// Messages forwarded but not yet recorded: parsing each one immediately delayed the next.

/** Recorded after this time, or when this much memory is used. */
const noteMs = 50;
const maxDeferredBytes = 1024 * 1024;

class DeferredQueue {
  #notes: (() => void)[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `bytes`: memory used until then. */
  add(note: () => void, bytes: number): void {
    this.#notes.push(note);
    this.#bytes += bytes;
    if (this.#bytes > maxDeferredBytes) this.catchUp();
    else this.#timer ??= setTimeout(() => this.catchUp(), noteMs).unref();
  }

  /** Records all now, in order of arrival. */
  catchUp(): void {
    if (this.#notes.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#bytes = 0;
    for (const note of this.#notes.splice(0)) note();
  }
}

// The few MCP messages that the shim itself sends to a client. IDs are JSON text, as spelled by the other side.

/** A JSON-RPC error response; -32000 is implementation-defined (JSON-RPC 2.0, section 5.1). */
export function errorLine(id: string, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":${JSON.stringify(message)}}}\n`;
}

/** Returns the cancellation of a request that a lost core made. */
function cancelledLine(id: string): string {
  const reason = JSON.stringify('Tooltray was restarted and no longer expects this response.');
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":${reason}}}\n`;
}

/** For a 2026-07-28 client it belongs to the `subscriptions/listen` with that ID. */
function toolsChangedLine(listenId?: string): string {
  const params = listenId === undefined ? '' : `,"params":{"_meta":{"${subscriptionKey}":${listenId}}}`;
  return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"${params}}\n`;
}
