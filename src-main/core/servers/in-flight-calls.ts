/**
 * Determines the recipient of a server-initiated request. Asking the wrong user is worse than not asking, so ambiguous
 * requests are refused.
 */
import type { JsonObject } from '../base/json.ts';
import type { Principal } from '../security/principal.ts';
import type { Result } from '../wire/message.ts';

/** How long an ambiguous request waits for calls of other sessions to end, in ms. */
const ownerTimeoutMs = 10_000;

interface Question {
  /** Calls that may have caused the request. A cancelled call stays, because the server may still ask about it. */
  readonly suspects: Map<number, CallContext>;
  wake: () => void;
}

export class InFlightCalls {
  readonly #calls = new Map<number, CallContext>();
  readonly #owner: (() => CallContext | undefined) | undefined;
  readonly #questions = new Set<Question>();

  constructor(owner?: () => CallContext | undefined) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#calls.size;
  }

  add(id: number, context: CallContext): void {
    this.#calls.set(id, context);
  }

  /** `answered`: the server responded and has no more requests for it; otherwise the call was cancelled. */
  remove(id: number, answered: boolean): void {
    if (!this.#calls.delete(id)) return;
    for (const question of this.#questions) {
      if (answered) question.suspects.delete(id);
      question.wake();
    }
  }

  /** The session that a message belongs to if it is unambiguous: by its stream, the owner, or the only call. */
  ownerOf(relatedRequestId: string | number | undefined): CallContext | undefined {
    const related = typeof relatedRequestId === 'number' ? this.#calls.get(relatedRequestId) : undefined;
    if (related !== undefined) return related;
    const owner = this.#owner?.();
    if (owner !== undefined) return this.#latest(owner.sessionId) ?? owner;
    return isOneSession(this.#calls.values()) ? this.#latest() : undefined;
  }

  /** Like `ownerOf`, but if several sessions are possible, waits a while for their calls to end. */
  async resolveOwner(
    relatedRequestId: string | number | undefined,
    signal: AbortSignal,
  ): Promise<CallContext | undefined> {
    const known = this.ownerOf(relatedRequestId);
    if (known !== undefined || this.#calls.size === 0) return known;
    const question: Question = { suspects: new Map(this.#calls), wake: () => undefined };
    this.#questions.add(question);
    const late = AbortSignal.any([signal, AbortSignal.timeout(ownerTimeoutMs)]);
    late.addEventListener('abort', () => question.wake(), { once: true });
    try {
      return await this.#onlySuspect(question, late);
    } finally {
      this.#questions.delete(question);
    }
  }

  /** Checks again whenever a call ends, until no possible call is in flight. */
  async #onlySuspect(question: Question, late: AbortSignal): Promise<CallContext | undefined> {
    while (!late.aborted) {
      const waiting = [...question.suspects].filter(([id]) => this.#calls.has(id));
      if (waiting.length === 0) return undefined;
      if (isOneSession(question.suspects.values())) return waiting.at(-1)?.[1];
      await new Promise<void>((resolve) => (question.wake = resolve));
    }
    return undefined;
  }

  #latest(sessionId?: string): CallContext | undefined {
    return [...this.#calls.values()].findLast((call) => sessionId === undefined || call.sessionId === sessionId);
  }
}

function isOneSession(calls: Iterable<CallContext>): boolean {
  return new Set([...calls].map((call) => call.sessionId)).size === 1;
}

/** The caller's side of a call: servers send their own requests and notifications through the call in flight. */
export interface CallContext {
  readonly sessionId: string;
  /** The caller; absent if not needed. */
  readonly principal?: Pick<Principal, 'user'>;
  readonly clientInfo: JsonObject;
  /** Capabilities declared by the client app: sampling, elicitation, roots … */
  readonly clientCapabilities: JsonObject;
  readonly signal: AbortSignal;
  /** Absent if the client app did not request progress. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Log messages of this call; `params` as the server sent them. */
  readonly onLog: (params: JsonObject) => void;
  /** The minimum log level of this session, if it set one. */
  readonly logLevel?: string | undefined;
  /** Sends a server's request (sampling, elicitation, roots) to this session's client app. Rejects with RpcError. */
  readonly askClient: (method: string, params: JsonObject, signal: AbortSignal) => Promise<Result>;
  /** The protocol version of the session. */
  readonly protocolVersion?: string | undefined;
  /** Called when the session's lists have changed. */
  readonly onToolsChanged?: (() => void) | undefined;
  /** Keeps the session's private connections open for a call that outlives its request. */
  readonly holdSession?: ((until: Promise<unknown>) => void) | undefined;
  /** Receives a promise for a result that the client app has yet to fetch. */
  readonly awaited?: ((until: Promise<void>) => void) | undefined;
  /** Whether the client app sees several servers as one, so that requests must name their server. */
  readonly namesServers?: boolean | undefined;
  /** Whether the session uses 2026-07-28, where `input_required` results pass unchanged. */
  readonly acceptsInputRequired: boolean;
}
